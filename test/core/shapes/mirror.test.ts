/** The shape `mirror`: objects that the operator writes from what the cloud lists, in a world in memory and by a moved clock. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { mirrorLabel } from "../../../src/core/kind/mirror.ts";
import type { FaultKind } from "../../world/faults.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";

const minute = 60_000;
const hour = 60 * minute;

/** A world whose cloud has two regions and an engine, a minute after its operator was started. */
async function withCatalogs(options: WorldOptions = {}): Promise<World> {
  const world = createWorld({ catalogs: true, start: false, ...options });
  for (const id of ["us-east", "eu-west"]) world.cloud.add("/regions", rowOf(id));
  world.cloud.add("/databases/engines", { id: "mysql/8.0.30", engine: "mysql", version: "8.0.30" });
  world.restart();
  await world.advance(minute);
  return world;
}

function rowOf(id: string): JsonObject {
  return { id, label: `In ${id}`, country: id.slice(0, 2), status: "ok", capabilities: ["Vlans", "Compute"] };
}

const named = ({ cluster }: World, kind = "Region"): string[] =>
  cluster
    .list(kind)
    .map(({ metadata }) => metadata.name)
    .toSorted();

const lists = ({ cloud }: World, path: string): number => cloud.ledger().filter((entry) => entry.path === path).length;

/** Writes of objects of a kind, as `verb name`, since the mark. */
function writes({ cluster }: World, from = 0, plural = "regions"): string[] {
  const all = cluster.writes().slice(from);
  return all.filter(({ resource }) => resource === plural).map(({ verb, key }) => `${verb} ${key}`);
}

const mark = ({ cluster }: World): number => cluster.writes().length;

const stateOf = ({ cluster }: World, name: string): unknown => cluster.get("Region", name)?.status?.["state"];

it("what the cloud lists appears within a minute: by a slug as its name, with the id and what it says in the status", async () => {
  const world = await withCatalogs();
  expect(named(world)).toEqual(["eu-west", "us-east"]);
  const east = world.cluster.get("Region", "us-east");
  expect(east?.metadata.labels).toEqual(mirrorLabel);
  expect(east?.status).toMatchObject({
    id: "us-east",
    country: "us",
    state: "ok",
    services: ["Compute", "Vlans"],
    observedGeneration: 1,
  });
  expect(conditionOf(east, "Ready")).toMatchObject({ status: "True", reason: "Listed" });
  expect(named(world, "DatabaseEngine")).toEqual(["mysql-8.0.30"]);
  expect(world.cluster.get("DatabaseEngine", "mysql-8.0.30")?.status).toMatchObject({ id: "mysql/8.0.30" });
});

it("nothing is written and one list an hour is read while nothing changes, and nothing is written after a restart", async () => {
  const world = await withCatalogs();
  const from = mark(world);
  await world.advance(5 * hour);
  expect(lists(world, "/regions")).toBe(6);
  world.restart();
  await world.advance(minute);
  expect(lists(world, "/regions")).toBe(7);
  expect(writes(world, from)).toEqual([]);
});

it("a row that changed is one patch, and another order of what it has is no change", async () => {
  const world = await withCatalogs();
  const from = mark(world);
  world.cloud.change("/regions", "us-east", { capabilities: ["Compute", "Vlans"] });
  world.cloud.change("/regions", "eu-west", { status: "outage" });
  await world.advance(hour);
  expect(writes(world, from)).toEqual(["patch-status eu-west"]);
  expect(stateOf(world, "eu-west")).toBe("outage");
});

it("an object whose row is gone is deleted", async () => {
  const world = await withCatalogs();
  const from = mark(world);
  world.cloud.remove("/regions", "eu-west");
  await world.advance(hour);
  expect(writes(world, from)).toEqual(["delete eu-west"]);
  expect(named(world)).toEqual(["us-east"]);
});

describe("what select regions sell", () => {
  const plansOf = ({ cluster }: World, name = "us-east"): unknown =>
    cluster.get("Region", name)?.status?.["selectPlans"];

  async function withOffers(): Promise<World> {
    const world = createWorld({ catalogs: true, start: false });
    for (const id of ["us-east", "eu-west"]) world.cloud.add("/regions", rowOf(id));
    for (const [plan, available] of [
      ["premium", true],
      ["gpu-2", false],
      ["gpu-1", false],
    ] as const)
      world.cloud.add("/regions/availability", { region: "us-east", plan, available });
    world.restart();
    await world.advance(minute);
    return world;
  }

  it("stands with the region, and one that it is not said of has none", async () => {
    const world = await withOffers();
    expect(plansOf(world)).toEqual({ available: ["premium"], unavailable: ["gpu-1", "gpu-2"] });
    expect(plansOf(world, "eu-west")).toBeUndefined();
  });

  it("is one patch when it changes, and one more list an hour", async () => {
    const world = await withOffers();
    const from = mark(world);
    world.cloud.change("/regions/availability", "us-east/gpu-1", { available: true });
    await world.advance(hour);
    expect(writes(world, from)).toEqual(["patch-status us-east"]);
    expect(plansOf(world)).toEqual({ available: ["gpu-1", "premium"], unavailable: ["gpu-2"] });
    expect(lists(world, "/regions/availability")).toBe(2);
  });

  it("stays as it was read last while that list cannot be read", async () => {
    const world = await withOffers();
    const from = mark(world);
    world.cloud.fault({ kind: "html502", path: /availability$/, times: 10_000 });
    await world.advance(3 * hour);
    expect(writes(world, from)).toEqual([]);
  });

  it("is left out where the cloud API lacks the list", async () => {
    const world = createWorld({ catalogs: true, start: false });
    world.cloud.add("/regions", rowOf("us-east"));
    world.cloud.fault({ kind: "notFound", path: /availability$/, times: 10_000 });
    world.restart();
    await world.advance(minute);
    expect(stateOf(world, "us-east")).toBe("ok");
    expect(plansOf(world)).toBeUndefined();
  });
});

describe("nothing is deleted where it is not certain that the row is gone:", () => {
  const kinds: FaultKind[] = ["html502", "lostBefore", "empty", "notFound", "unauthorized", "tooMany", "silent"];
  it.each(kinds)("the list is answered by %s, for hours", async (kind) => {
    const world = await withCatalogs();
    const from = mark(world);
    world.cloud.remove("/regions", "eu-west");
    // A 429 names a minute: with a second, the operator would send 10,800 requests.
    world.cloud.fault({ kind, path: /^\/regions$/, times: 10_000, ms: minute });
    await world.advance(3 * hour);
    expect(writes(world, from)).toEqual([]);
    world.cloud.clearFaults();
    await world.advance(2 * hour);
    expect(named(world)).toEqual(["us-east"]);
  });

  it("the list is suddenly empty, also after a restart; it is said once", async () => {
    const world = await withCatalogs();
    for (const id of ["us-east", "eu-west"]) world.cloud.remove("/regions", id);
    await world.advance(2 * hour);
    world.restart();
    await world.advance(2 * hour);
    expect(named(world)).toEqual(["eu-west", "us-east"]);
    const said = world.logged().filter(({ message }) => message.includes("returned an empty list of Region objects"));
    expect(said).toHaveLength(2);
  });

  it("a row has no id, and may be that of any object", async () => {
    const world = await withCatalogs();
    world.cloud.change("/regions", "eu-west", { id: null });
    await world.advance(hour);
    expect(named(world)).toEqual(["eu-west", "us-east"]);
  });

  it("a row cannot be read: its object says so and keeps what was read last", async () => {
    const world = await withCatalogs();
    world.cloud.change("/regions", "eu-west", { capabilities: "all" });
    await world.advance(hour);
    const west = world.cluster.get("Region", "eu-west");
    expect(conditionOf(west, "Stalled")?.reason).toBe("Unreadable");
    expect(west?.status).toMatchObject({ id: "eu-west", country: "eu", services: ["Compute", "Vlans"] });
    expect(conditionOf(world.cluster.get("Region", "us-east"), "Ready")?.status).toBe("True");
  });
});

describe("what people did to an object is put right at once, without a list:", () => {
  const edits: [what: string, edit: (world: World) => void][] = [
    ["its status was edited", ({ cluster }) => void patchStatus(cluster, { state: "broken", country: null })],
    ["its status was emptied", ({ cluster }) => void patchStatus(cluster, { id: null, conditions: null })],
    ["it was deleted", ({ cluster }) => cluster.delete("Region", "us-east")],
    [
      "its label was taken off",
      ({ cluster }) => void cluster.patch("Region", "us-east", { metadata: { labels: { [label]: null } } }),
    ],
  ];
  it.each(edits)("%s", async (_what, edit) => {
    const world = await withCatalogs();
    const before = world.cluster.get("Region", "us-east");
    edit(world);
    await world.advance(minute);
    const after = world.cluster.get("Region", "us-east");
    expect(withoutTimes(after)).toEqual(withoutTimes(before));
    expect(lists(world, "/regions")).toBe(1);
  });

  it("labels and annotations of other names are theirs", async () => {
    const world = await withCatalogs();
    const from = mark(world);
    world.cluster.patch("Region", "us-east", { metadata: { labels: { team: "a" }, annotations: { note: "b" } } });
    await world.advance(2 * hour);
    expect(writes(world, from)).toEqual([]);
  });

  it("what has our label and no row, as after a restore of another cluster, is deleted", async () => {
    const world = await withCatalogs();
    world.cluster.create("Region", "atlantis", {}, { labels: mirrorLabel });
    await world.advance(minute);
    expect(named(world)).toEqual(["eu-west", "us-east"]);
  });
});

it("a stranger's object of the same name is not changed, which is said once, and its deletion makes room", async () => {
  const world = createWorld({ catalogs: true, start: false });
  world.cloud.add("/regions", rowOf("us-east"));
  const theirs = world.cluster.create("Region", "us-east", {}, { labels: { team: "a" } });
  const unrelated = world.cluster.create("Region", "moon", {});
  world.restart();
  await world.advance(3 * hour);
  expect(writes(world)).toEqual([]);
  expect(world.cluster.get("Region", "us-east")).toEqual(theirs);
  expect(world.cluster.get("Region", "moon")).toEqual(unrelated);
  const said = world.cluster.events().filter(({ kind }) => kind === "Region");
  expect(said.map(({ key, type, reason }) => `${key} ${type} ${reason}`)).toEqual(["us-east Warning Conflict"]);
  world.cluster.delete("Region", "us-east");
  await world.advance(minute);
  expect(stateOf(world, "us-east")).toBe("ok");
});

it("two ids of one slug have each an object, and keep them, whichever comes or goes", async () => {
  const world = await withCatalogs();
  const ids = () =>
    new Map(world.cluster.list("Region").map(({ metadata, status }) => [metadata.name, status?.["id"]]));
  world.cloud.add("/regions", rowOf("us_east"));
  await world.advance(hour);
  expect(ids().get("us-east")).toBe("us-east");
  const other = [...ids()].find(([, id]) => id === "us_east")?.[0] ?? "";
  expect(other).toMatch(/^us-east-[0-9a-f]{8}$/);
  const before = ids();
  world.restart();
  await world.advance(minute);
  expect(ids()).toEqual(before);
  world.cloud.remove("/regions", "us-east");
  await world.advance(hour);
  expect(ids()).toEqual(
    new Map([
      [other, "us_east"],
      ["eu-west", "eu-west"],
    ]),
  );
});

describe("a catalog that wants a user", () => {
  const beta = { id: "fast-disks", label: "Fast disks", started: "2023-06-01T00:00:00" };

  it("is read with the token of the oldest account that is connected as an unrestricted one, and without any it is not asked for", async () => {
    const world = createWorld({ catalogs: true, account: false });
    world.cloud.add("/betas", beta);
    await world.advance(hour);
    expect(lists(world, "/betas")).toBe(0);
    addAccount(world, "restricted", true);
    await world.advance(minute);
    addAccount(world, "older", false);
    await world.advance(minute);
    addAccount(world, "newer", false);
    await world.advance(3 * hour);
    expect(named(world, "BetaProgram")).toEqual(["fast-disks"]);
    const tokens = world.cloud
      .ledger()
      .filter(({ path }) => path === "/betas")
      .map(({ token }) => token);
    expect(new Set(tokens)).toEqual(new Set(["token-of-older"]));
    expect(tokens).toHaveLength(4);
  });

  it("is read once, also where the account is asked again while the list is on its way", async () => {
    const world = createWorld({ catalogs: true });
    world.cloud.add("/betas", beta);
    world.cloud.fault({ kind: "slow", path: /^\/betas$/, ms: 5_000 });
    await world.advance(3_000);
    world.cluster.annotate("CloudAccount", "default", { note: "edited" });
    await world.advance(minute);
    expect(named(world, "BetaProgram")).toEqual(["fast-disks"]);
    expect(lists(world, "/betas")).toBe(1);
  });

  it("passes over an account whose token is not accepted any more", async () => {
    const world = createWorld({ catalogs: true, account: false });
    world.cloud.add("/betas", beta);
    for (const name of ["older", "newer"]) {
      addAccount(world, name, false);
      await world.advance(minute);
    }
    const reads = () => world.cloud.ledger().filter(({ path }) => path === "/betas");
    const [first] = reads();
    // The account proves its token every ten minutes: here it is rejected just before the list.
    await world.advance((first?.atMs ?? 0) + hour - 1 - world.clock.now());
    expect(reads()).toHaveLength(1);
    world.cloud.revoke("token-of-older");
    world.cloud.change("/betas", "fast-disks", { label: "Faster disks" });
    await world.advance(minute);
    expect(reads()).toHaveLength(3);
    expect(world.cluster.get("BetaProgram", "fast-disks")?.status).toMatchObject({ label: "Faster disks" });
  });
});

it("public catalogs are read without a token, so that they are there before any account", async () => {
  const world = await withCatalogs({ account: false });
  expect(named(world)).toEqual(["eu-west", "us-east"]);
  expect(new Set(world.cloud.ledger().map(({ token }) => token))).toEqual(new Set([""]));
});

it("where they are off, nothing is asked and nothing written", async () => {
  const world = await withCatalogs({ catalogs: false });
  await world.advance(2 * hour);
  expect(lists(world, "/regions")).toBe(0);
  expect(named(world)).toEqual([]);
});

it("an object whose deletion somebody's finalizer holds up comes back after it, and the others go on", async () => {
  const world = await withCatalogs();
  world.cluster.patch("Region", "us-east", { metadata: { finalizers: ["example.org/keep"] } });
  world.cluster.delete("Region", "us-east");
  world.cloud.add("/regions", rowOf("fr-par"));
  await world.advance(hour);
  expect(named(world)).toEqual(["eu-west", "fr-par", "us-east"]);
  world.cluster.patch("Region", "us-east", { metadata: { finalizers: null } });
  await world.advance(minute);
  expect(world.cluster.get("Region", "us-east")?.metadata.deletionTimestamp).toBeUndefined();
  expect(stateOf(world, "us-east")).toBe("ok");
});

const [label = ""] = Object.keys(mirrorLabel);

function patchStatus({ objects }: World["cluster"], status: object): KubeObject {
  const regions = {
    group: "cloudplatform.dev",
    version: "v1alpha1",
    plural: "regions",
    kind: "Region",
    namespaced: false,
  };
  return objects.patch(regions, { name: "us-east" }, { status }, "status");
}

/** What a repair brings back. */
function withoutTimes(object: KubeObject | undefined): object {
  const { status = {}, metadata } = object ?? {};
  const ready = object && conditionOf(object, "Ready")?.reason;
  return { labels: metadata?.labels, status: { ...status, conditions: ready } };
}

function addAccount({ cluster, cloud }: World, name: string, restricted: boolean): void {
  cloud.addUser({ token: `token-of-${name}`, username: name, restricted });
  cluster.secret(`token-${name}`, { token: `token-of-${name}` });
  cluster.create("CloudAccount", name, { tokenSecretRef: { name: `token-${name}` } });
}
