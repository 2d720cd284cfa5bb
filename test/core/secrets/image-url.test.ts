/** The URL to which the data of an Image is sent is shown once: without it, the image is replaced, whatever happens meanwhile. */
import { describe, expect, it } from "vitest";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { begin, calm, crashedAnywhere, left } from "../support.ts";

describe("an Image that is deleted while it is replaced, since nobody knows the URL for its data", () => {
  const scene = async (deletedMs: number): Promise<World> => {
    const world = await begin(calm);
    world.cluster.latency.ms = 5;
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cluster.create("Image", "web", { source: { handOff: { region: "us-east" } } });
    await world.advance(deletedMs);
    world.cluster.delete("Image", "web");
    return world;
  };
  const isRight = (world: World): boolean => {
    const image = world.cluster.get("Image", "web");
    // No event proves which request created an image without data. Only a person can decide about such an image.
    const waits = conditionOf(image, "Ready")?.reason === "CreateUncertain";
    return waits || (image === undefined && left(world).length === 0);
  };

  it.each([20, 40, 50, 60, 70, 80])(
    "is gone and leaves nothing in the cloud, or waits for a decision, wherever the process goes: deleted after %d ms",
    async (deletedMs) => {
      expect(
        await crashedAnywhere(
          () => scene(deletedMs),
          async (world) => Promise.resolve(isRight(world)),
        ),
      ).toEqual([]);
    },
  );
});
