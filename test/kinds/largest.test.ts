/** The largest legal object of each kind. `bench/largest.bench.ts` measures what such objects cost. */
import { expect, it } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";
import { grown, sizeOf } from "../support/grown.ts";
import { createNeeds } from "../world/needs.ts";
import { conditionOf, createWorld } from "../world/world.ts";

const namespace = "default";

it.each(kinds.map((kind) => [kind.kind, kind] as const))(
  "the largest %s gets a verdict, and its status stays small",
  async (_, kind) => {
    const { example, spec } = grown(kind);
    const world = createWorld({ allowAccountActions: true });
    createNeeds(world, kind, example, namespace);
    await world.advance(1_300_000);
    world.cluster.create(kind.kind, "largest", spec, { namespace });
    await world.advance(600_000);
    const object = world.cluster.get(kind.kind, "largest", namespace);
    const ready = conditionOf(object, "Ready");
    expect(ready?.reason).toBeDefined();
    expect(["InternalError", "ClusterUnavailable", "Updating"]).not.toContain(ready?.reason);
    expect(world.logged().filter(({ level }) => level === "error")).toEqual([]);
    // Messages quote at most a part of what the cloud refuses.
    expect(sizeOf(ready?.message ?? "")).toBeLessThan(5_000);
  },
);
