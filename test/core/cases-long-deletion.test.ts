/** A deletion that the cloud holds up for hours asks less and less often, and goes on soon once the cloud lets it. */
import { expect, it } from "vitest";
import { createWorld } from "../world/world.ts";
import { idOf, idsIn, madeMs, messageOf, paths, specs } from "./situations.ts";

const hourMs = 3_600_000;
const path = paths.ComputeInstance;

it.each(["cloning", "restoring", "deleting"])("of an instance that stays %s", async (status) => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(madeMs);
  const row = world.cloud.find(path, idOf(world, "ComputeInstance", "web") ?? "")!;
  let shown = status;
  Object.defineProperty(row.fields, "status", {
    get: () => shown,
    // What the cloud simulates changes nothing.
    set() {},
    enumerable: true,
  });
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(600_000);
  const since = world.cloud.ledger().length;
  await world.advance(hourMs);
  const reads = world.cloud.ledger().slice(since);
  expect(reads.filter((call) => call.path.startsWith(`${path}/`)).length).toBeLessThanOrEqual(2 * (hourMs / 15_000));
  expect(reads.filter(({ method }) => method !== "GET")).toEqual([]);
  shown = "offline";
  await world.advance(30_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
});

it.each(["provisioning", "migrating"])("so does an instance that stays %s and is kept", async (status) => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(madeMs);
  world.cloud.find(path, idOf(world, "ComputeInstance", "web") ?? "")!.fields["status"] = status;
  await world.advance(600_000);
  const since = world.cloud.ledger().length;
  await world.advance(hourMs);
  const reads = world.cloud.ledger().slice(since);
  expect(reads.filter((call) => call.path.startsWith(`${path}/`)).length).toBeLessThanOrEqual(250);
});

it.each(["Firewall", "ComputeInstance", "Bucket"] as const)(
  "of a %s whose DELETE is answered and not carried out",
  async (kind) => {
    const world = createWorld();
    world.cluster.create(kind, "web", specs[kind]);
    await world.advance(madeMs);
    world.cloud.fault({ kind: "empty", method: "DELETE", times: 1_000_000 });
    world.cluster.delete(kind, "web");
    await world.advance(600_000);
    const since = world.cloud.ledger().length;
    const events = world.cluster.events().length;
    await world.advance(hourMs);
    const sent = world.cloud.ledger().slice(since);
    expect(sent.filter(({ method }) => method === "DELETE").length).toBeLessThanOrEqual(7);
    expect(sent.filter(({ path: read }) => read.startsWith(`${paths[kind]}/`)).length).toBeLessThanOrEqual(2 * 250);
    expect(world.cluster.events().length - events).toBeLessThanOrEqual(7);
    world.cloud.clearFaults();
    await world.advance(600_000);
    expect(idsIn(world, kind)).toEqual([]);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  },
);

it.each([
  ["DELETE", /firewalls\/\d+$/],
  ["GET", /firewalls\/\d+$/],
] as const)("names a way out where %s is forbidden for long", async (method, refused) => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", specs.Firewall);
  await world.advance(madeMs);
  world.cloud.fault({ kind: "forbidden", method, path: refused, times: 1_000_000 });
  world.cluster.delete("Firewall", "wall");
  // Two slow passes after it has lasted.
  await world.advance(2_400_000);
  expect(messageOf(world, "Firewall", "wall")).toContain("cloudplatform.dev/let-go=true");
});

it("waits where the DELETE was answered and not carried out, and the list shows its row in a form that cannot be read", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", specs.Firewall);
  await world.advance(madeMs);
  const item = /^\/networking\/firewalls\/\d+$/;
  world.cloud.fault({ kind: "empty", method: "DELETE", path: item, times: 1_000_000 });
  world.cluster.delete("Firewall", "wall");
  await world.advance(1_500);
  world.cloud.fault({ kind: "notFound", method: "GET", path: item, times: 1_000_000 });
  world.cloud.settings.inLists = (fields) => ({ ...fields, status: 7 });
  await world.advance(1_200_000);
  expect(messageOf(world, "Firewall", "wall")).toContain("cannot be read");
});
