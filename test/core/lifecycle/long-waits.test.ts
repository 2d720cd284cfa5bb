/** What the cloud holds up for hours is asked for less and less often, and goes on soon once the cloud lets it. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import type { World } from "../../world/world.ts";
import { idOf, idsIn, madeMs, messageOf, paths, specs } from "../support.ts";
import type { CaseKind } from "../support.ts";

const hourMs = 3_600_000;
const path = paths.ComputeInstance;

/** What the operator asks of the cloud within a time, milliseconds. */
async function sentIn(world: World, ms: number): Promise<LedgerEntry[]> {
  const since = world.cloud.ledger().length;
  await world.advance(ms);
  return world.cloud.ledger().slice(since);
}

/** As soon as it is deleted, others get its id for something with these fields. */
function useAgain(world: World, { kind, id }: { kind: CaseKind; id: string }, fields: JsonObject): void {
  let isUsed = false;
  world.cloud.onTouch((entry, row) => {
    if (isUsed || entry.method !== "DELETE" || row.id !== id) return;
    isUsed = true;
    queueMicrotask(() => {
      if (world.cloud.find(paths[kind], id)) world.cloud.remove(paths[kind], id);
      world.cloud.add(paths[kind], fields);
    });
  });
}

it.each(["cloning", "restoring", "deleting"])("of an instance that stays %s", async (status) => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(madeMs);
  const row = world.cloud.find(path, idOf(world, "ComputeInstance", "web"))!;
  let shown = status;
  Object.defineProperty(row.fields, "status", {
    get: () => shown,
    // What the cloud simulates changes nothing.
    set() {},
    enumerable: true,
  });
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(600_000);
  const reads = await sentIn(world, hourMs);
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
  world.cloud.find(path, idOf(world, "ComputeInstance", "web"))!.fields["status"] = status;
  await world.advance(600_000);
  const reads = await sentIn(world, hourMs);
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
    const events = world.cluster.events().length;
    const sent = await sentIn(world, hourMs);
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
  // Two resyncs after it has lasted.
  await world.advance(2_400_000);
  expect(messageOf(world, "Firewall", "wall")).toContain("cloudplatform.dev/orphan=true");
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
  expect(world.cluster.get("Firewall", "wall")).toBeDefined();
  expect(messageOf(world, "Firewall", "wall")).toContain("cloudplatform.dev/orphan=true");
});

describe("an action that waits", () => {
  it.each(["migrating", "rebooting"])("for an instance that stays %s asks less often", async (status) => {
    const world = createWorld();
    const { id } = world.cloud.add(path, { ...specs.ComputeInstance, label: "vm", status: "running" });
    world.cloud.change(path, id, { status });
    const action = { instanceRef: { id }, action: "Reboot", notAfter: "2099-01-01T00:00:00Z" };
    world.cluster.create("ComputeAction", "again", action);
    await world.advance(600_000);
    const reads = await sentIn(world, hourMs);
    expect(reads.filter((call) => call.path.startsWith(path)).length).toBeLessThanOrEqual(2 * 250);
  });
});

it.each([
  ["ComputeInstance", "cloning", "offline"],
  ["ManagedMySQL", "updating", "active"],
] as const)("a deletion of a %s goes on soon that waited while it was %s", async (kind, busy, free) => {
  for (const ms of [5_000, 9_700, 31_300, 60_100]) {
    const world = createWorld();
    world.cluster.create(kind, "web", specs[kind]);
    await world.advance(madeMs + 300_000);
    const row = world.cloud.find(paths[kind], idOf(world, kind, "web"))!;
    row.fields["status"] = busy;
    world.cluster.delete(kind, "web");
    await world.advance(ms);
    row.fields["status"] = free;
    await world.advance(3_500);
    expect(idsIn(world, kind), `after ${ms} ms`).toEqual([]);
  }
});

it("a database is deleted whose row cannot be read", async () => {
  const world = createWorld();
  world.cluster.create("ManagedMySQL", "db", specs.ManagedMySQL);
  await world.advance(madeMs + 300_000);
  world.cloud.change(paths.ManagedMySQL, idOf(world, "ManagedMySQL", "db"), { hosts: 5 });
  await world.advance(130_000);
  world.cluster.delete("ManagedMySQL", "db");
  await world.advance(60_000);
  expect(idsIn(world, "ManagedMySQL")).toEqual([]);
  expect(world.cluster.get("ManagedMySQL", "db")).toBeUndefined();
});

describe("an object goes whose DELETE was carried out", () => {
  it.each(["SSHKey", "Firewall", "ComputeInstance", "ManagedMySQL"] as const)(
    "where the id of a %s is used again, later, by what cannot be read",
    async (kind) => {
      const world = createWorld();
      world.cluster.create(kind, "web", specs[kind]);
      await world.advance(madeMs + 200_000);
      const id = idOf(world, kind, "web");
      const { created: _, ...fields } = structuredClone(world.cloud.find(paths[kind], id)!.fields);
      useAgain(world, { kind, id }, { ...fields, label: 5, status: 7, ssh_key: 5 });
      world.cluster.delete(kind, "web");
      await world.advance(60_000);
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(idsIn(world, kind)).toEqual([id]);
    },
  );

  it("soon, where two lists that are late show it in a form that cannot be read", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "web", specs.Firewall);
    await world.advance(60_000);
    const { fields: shown } = world.cloud.find(paths.Firewall, idOf(world, "Firewall", "web"))!;
    const fields = { data: [{ ...structuredClone(shown), status: 7 }], page: 1, pages: 1, results: 1 };
    world.cloud.fault({ kind: "answersFor", method: "GET", path: /firewalls$/, times: 2, row: { fields } });
    world.cluster.delete("Firewall", "web");
    await world.advance(10_000);
    expect(world.cluster.get("Firewall", "web")).toBeUndefined();
  });
});

it.each([false, true])(
  "the finalizer stays while the path of the row answers that it is there; another list meanwhile: %s",
  async (beside) => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(150_000);
    const id = idOf(world, "ComputeInstance", "web");
    world.cloud.fault({ kind: "empty", method: "DELETE", times: 1_000_000 });
    const slow = { kind: "slow", method: "GET", path: new RegExp(`instances/${id}$`), ms: 2_000 } as const;
    world.cloud.fault({ ...slow, times: 1_000_000 });
    world.cloud.settings.listLagMs = 86_400_000;
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(2_500);
    // What costs money is created only after a list.
    if (beside) world.cluster.create("ComputeInstance", "another", specs.ComputeInstance);
    await world.advance(25_000);
    expect(world.cloud.find(path, id)).toBeDefined();
    expect(world.cluster.get("ComputeInstance", "web")).toBeDefined();
  },
);

it.each(["tooMany", "maintenance"] as const)(
  "a deletion that the cloud puts off by %s is sent when it says",
  async (kind) => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", specs.Firewall);
    await world.advance(madeMs);
    world.cloud.fault({ kind, method: "DELETE", times: 3, ms: 10_000 });
    world.cluster.delete("Firewall", "wall");
    const sent = (await sentIn(world, 300_000)).filter(({ method }) => method === "DELETE");
    const gaps = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
    expect(gaps).toHaveLength(3);
    // The first one, a poll may have woken it.
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(10_000);
    expect(world.cluster.get("Firewall", "wall")).toBeUndefined();
  },
);

describe.each([
  { created: "", isReadable: false },
  { created: "0000-00-00T00:00:00", isReadable: false },
  { created: "", isReadable: true },
])(
  "an id that is used again by what tells no time of creation: $created, readable: $isReadable",
  ({ created, isReadable }) => {
    it.each(["SSHKey", "Firewall", "Bucket"] as const)("a %s of others stays", async (kind) => {
      const world = createWorld();
      world.cluster.create(kind, "web", { ...specs[kind], ...(kind === "Bucket" && { forceEmpty: true }) });
      await world.advance(madeMs + 200_000);
      const id = idOf(world, kind, "web");
      const fields = structuredClone(world.cloud.find(paths[kind], id)!.fields);
      const odd = kind === "Bucket" ? { hostname: 7, size: "x" } : { label: 5, status: 7, ssh_key: 5 };
      useAgain(world, { kind, id }, { ...fields, ...(!isReadable && odd), created });
      world.cluster.delete(kind, "web");
      await world.advance(300_000);
      expect(world.cloud.rows(paths[kind])).toHaveLength(1);
      expect(messageOf(world, kind, "web")).toContain("cloudplatform.dev/orphan=true");
    });
  },
);

it.each(["tooMany", "maintenance"] as const)(
  "no storm follows upon %s that asks to try again at once",
  async (kind) => {
    for (const method of ["DELETE", "GET"]) {
      const world = createWorld();
      world.cluster.create("Firewall", "wall", specs.Firewall);
      await world.advance(madeMs);
      world.cloud.fault({ kind, method, path: /firewalls\/\d+$/, times: 1_000_000, ms: 0 });
      world.cluster.delete("Firewall", "wall");
      await world.advance(600_000);
      const sent = await sentIn(world, 900_000);
      expect(sent.length).toBeLessThan(200);
      expect(sent.filter((call) => call.path.startsWith(`${paths.Firewall}/`)).length).toBeLessThanOrEqual(40);
    }
  },
);
