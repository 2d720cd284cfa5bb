/** An operator that may neither list nor watch Secrets reads those that objects name, and does the same a minute later. */
import { expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, specs, stateOf } from "../support.ts";

const everyMs = 60_000;
/** Until one is read again, and its object reconciled. */
const seenMs = everyMs + 5_000;

async function withDatabase(management?: object): Promise<World> {
  const world = createWorld({ secretsEveryMs: everyMs });
  world.cluster.create("ManagedMySQL", "shop", specs.ManagedMySQL, management && { management });
  await world.advance(madeMs);
  expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
  return world;
}

it("a Secret that is waited for is found once it is there", async () => {
  const world = createWorld({ secretsEveryMs: everyMs });
  const spec = { ...specs.ComputeInstance, userDataSecretRef: { name: "user-data" } };
  world.cluster.create("ComputeInstance", "web", spec);
  await world.advance(seenMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("WaitingForSecret");
  world.cluster.secret("user-data", { "user-data": "#cloud-config" });
  await world.advance(2 * seenMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});

it("a changed token is used", async () => {
  const world = await withDatabase();
  world.cloud.addToken("rotated", "ada");
  world.cluster.patch("Secret", "cloud-token", { data: { token: Buffer.from("rotated").toString("base64") } });
  await world.advance(seenMs);
  world.cloud.revoke("token-of-default");
  const since = world.cloud.ledger().length;
  await world.advance(madeMs);
  expect(
    world.cloud
      .ledger()
      .slice(since)
      .filter(({ status }) => status === 401),
  ).toEqual([]);
});

it("a published Secret that was deleted is written again", async () => {
  const world = await withDatabase();
  world.cluster.delete("Secret", "shop-connection");
  await world.advance(seenMs);
  expect(world.cluster.get("Secret", "shop-connection")).toBeDefined();
});

it.each([false, true])(
  "one of another name leaves none under the old one (changed while no operator ran: %s)",
  async (away) => {
    const world = await withDatabase();
    if (away) world.crash();
    world.cluster.patch("ManagedMySQL", "shop", { spec: { connectionSecret: { name: "shop-db" } } });
    if (away) world.restart();
    await world.advance(seenMs);
    expect(world.cluster.get("Secret", "shop-connection")).toBeUndefined();
    expect(world.cluster.get("Secret", "shop-db")).toBeDefined();
  },
);

it.each([false, true])(
  "one of an orphaned object stays, and belongs to nobody (right after a restart: %s)",
  async (restart) => {
    const world = await withDatabase({ deletionPolicy: "Orphan" });
    if (restart) world.crash();
    world.cluster.delete("ManagedMySQL", "shop");
    if (restart) world.restart();
    await world.advance(seenMs);
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeUndefined();
    expect(world.cluster.get("Secret", "shop-connection")?.metadata.ownerReferences ?? []).toEqual([]);
  },
);

it("what was shown once moves to another name while no operator runs, and no other key is made", async () => {
  const world = createWorld({ secretsEveryMs: everyMs });
  world.cluster.create("ObjectStorageKey", "reader", { label: "reader" });
  await world.advance(madeMs);
  const made = changes(world);
  world.crash();
  world.cluster.patch("ObjectStorageKey", "reader", { spec: { connectionSecret: { name: "moved" } } });
  world.restart();
  await world.advance(seenMs);
  expect(world.cluster.get("ObjectStorageKey", "reader")).toBeReady();
  expect(changes(world)).toEqual(made);
});

it("each is read once in the interval, and no more when nobody names it", async () => {
  const world = await withDatabase();
  const { objects } = world.cluster;
  const { get } = objects;
  let reads = 0;
  objects.get = (resource, ref) => {
    if (resource.plural === secrets.plural && ref.name === "shop-connection") reads += 1;
    return get(resource, ref);
  };
  await world.advance(30 * everyMs);
  expect(reads).toBeGreaterThanOrEqual(28);
  expect(reads).toBeLessThanOrEqual(40);
  world.cluster.delete("ManagedMySQL", "shop");
  await world.advance(40 * everyMs);
  reads = 0;
  await world.advance(10 * everyMs);
  expect(reads).toBe(0);
});
