/** An account goes with its objects, whatever happens to the operator meanwhile. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { begin, calm, crashedAnywhere, create, left, messageOf, minutes, shapeNames, stateOf } from "../support.ts";

const finalizer = "cloudplatform.dev/operator";

const orders: { because: string; order: string[] }[] = [
  { because: "the account first", order: ["CloudAccount", ...shapeNames, "Secret"] },
  { because: "the Secret with the token first", order: ["Secret", "CloudAccount", ...shapeNames] },
  { because: "the objects first", order: [...shapeNames, "CloudAccount", "Secret"] },
];

const names: Record<string, string> = { CloudAccount: "default", Secret: "cloud-token" };

function deleteAll({ cluster }: World, order: string[]): void {
  for (const kind of order) cluster.delete(kind, names[kind] ?? "web");
}

function isGone(world: World): Promise<boolean> {
  const held = [...world.cluster.list(), ...world.cluster.list("Secret")];
  return Promise.resolve(held.length === 0 && left(world).length === 0);
}

describe("a whole namespace that is deleted", () => {
  it.each(orders)("goes wherever the process goes: $because", async ({ order }) => {
    const scene = async () => {
      const world = await begin(calm);
      for (const kind of shapeNames) create(world, kind, "web");
      await world.advance(minutes(2));
      deleteAll(world, order);
      return world;
    };
    expect(await crashedAnywhere(scene, isGone, 4)).toEqual([]);
  });

  it.each(orders)("goes also while creations are uncertain, across a restart: $because", async ({ order }) => {
    for (const afterMs of [0, 500, 5_000, 40_000]) {
      const world = await begin();
      world.cloud.fault({ kind: "lateApply", method: "POST", ms: 6_000, times: shapeNames.length });
      for (const kind of shapeNames) create(world, kind, "web");
      await world.advance(500);
      deleteAll(world, order);
      await world.advance(afterMs);
      world.restart();
      await world.advance(minutes(30));
      expect(await isGone(world)).toBe(true);
    }
  });

  it("goes when the operator was away all the time", async () => {
    const world = await begin();
    for (const kind of shapeNames) create(world, kind, "web");
    await world.advance(minutes(2));
    world.crash();
    deleteAll(world, orders[0]!.order);
    await world.advance(minutes(60));
    expect(world.cluster.get("CloudAccount", "default")?.metadata.finalizers).toEqual([finalizer]);
    world.restart();
    await world.advance(minutes(5));
    expect(await isGone(world)).toBe(true);
  });
});

it("a key whose creation got no response before the token's user changed says what it waits for, and goes on with a token of the former user", async () => {
  const world = await begin();
  world.cloud.addUser({ token: "token-of-bob", username: "bob", account: world.cloud.user("ada").account });
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  create(world, "SSHKey", "web");
  await world.advance(1_000);
  const use = (token: string) => world.cluster.patch("Secret", "cloud-token", { stringData: { token } });
  use("token-of-bob");
  await world.advance(minutes(5));
  expect(stateOf(world, "SSHKey", "web")).toBe("CreateUncertain");
  expect(messageOf(world, "SSHKey", "web")).toContain(
    "belongs to a different account or user than the token. Use a token of that account",
  );
  use("token-of-default");
  await world.advance(minutes(5));
  expect([stateOf(world, "SSHKey", "web"), left(world).length]).toEqual(["Ready", 1]);
});
