/** A cloud that says one thing of a row in its list and another at its own path is asked ever less often. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { applied, begin, left, messageOf, minutes, shapeNames, shapes } from "../support.ts";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const always = 1_000_000;

interface Case {
  kind: string;
  spec: object;
  path: string;
}

const inLists: Case[] = [
  { kind: "Tag", spec: {}, path: "/tags" },
  { kind: "IPv6Range", spec: { routeTarget: "2001:db8::1", prefixLength: 64 }, path: "/networking/ipv6/ranges" },
];

const domain = { domain: "one.example", type: "master", soaEmail: "ada@one.example" };

const all: Case[] = [...inLists, ...shapeNames.map((kind) => Object.assign({ kind }, shapes[kind]))];

const labelled = new Set(["SSHKey", "Firewall", "ComputeInstance"]);

/** Where time passes between a request and its answer: without, all reads of a moment are one. */
async function withReady({ kind, spec }: Case): Promise<World> {
  const world = await begin();
  world.cloud.settings.latencyMs = 40;
  world.cluster.create(kind, "one", spec);
  await world.advance(minutes(5));
  expect(world.cluster.get(kind, "one")).toBeReady();
  return world;
}

function leaveOut({ cloud }: World): void {
  cloud.settings.listLagMs = minutes(600);
}

/** Requests that concern the object from now on. */
function countOf({ cloud }: World, path: string): () => number {
  const since = cloud.ledger().length;
  return () => cloud.ledger().filter((entry) => entry.number >= since && entry.path.startsWith(path)).length;
}

function changedAt({ cluster }: World, kind: string): string | undefined {
  return conditionOf(cluster.get(kind, "one"), "Ready")?.lastTransitionTime;
}

describe.each(inLists)("a $kind that its list leaves out while its own path shows it", (one) => {
  const { kind, path } = one;

  it("costs no more than the polls, stays ready, and is made once", async () => {
    const world = await withReady(one);
    leaveOut(world);
    const [count, before] = [countOf(world, path), changedAt(world, kind)];
    await world.advance(minutes(10));
    expect(count()).toBeLessThanOrEqual(20);
    expect(changedAt(world, kind)).toBe(before);
    expect(world.cluster.get(kind, "one")).toBeReady();
    expect(applied(world, "POST")).toEqual([path]);
  });

  it("is asked for with growing delay where nothing is known of it but its id, and is fine once it is listed", async () => {
    const world = await withReady(one);
    leaveOut(world);
    const [count, before] = [countOf(world, path), changedAt(world, kind)];
    world.restart();
    await world.advance(minutes(20));
    expect(count()).toBeLessThanOrEqual(60);
    expect(changedAt(world, kind)).toBe(before);
    expect(applied(world, "POST")).toEqual([path]);
    world.cloud.settings.listLagMs = 0;
    await world.advance(minutes(6));
    expect(world.cluster.get(kind, "one")).toBeReady();
  });

  it.each([false, true])("goes when it is deleted, at little cost; restart: %s", async (restart) => {
    const world = await withReady(one);
    leaveOut(world);
    const count = countOf(world, path);
    if (restart) world.restart();
    await world.advance(minutes(2));
    world.cluster.delete(kind, "one");
    await world.advance(minutes(10));
    expect(count()).toBeLessThanOrEqual(40);
    world.cloud.settings.listLagMs = 0;
    await world.advance(minutes(6));
    expect(world.cluster.get(kind, "one")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });
});

async function denied(one: Case): Promise<World> {
  const world = await withReady(one);
  const item = new RegExp(`^${one.path}/(us-east-1/)?[^/]+$`);
  world.cloud.fault({ kind: "notFound", path: item, times: always });
  return world;
}

describe.each(all)("a $kind that its list shows while its own path answers 404", (one) => {
  const { kind, path } = one;

  it.each(["kept", "deleted", "restarted"])("is asked for with growing delay, and stays: %s", async (how) => {
    const world = await denied(one);
    const count = countOf(world, path);
    if (how === "deleted") world.cluster.delete(kind, "one");
    if (how === "restarted") world.restart();
    await world.advance(minutes(10));
    // When each is due is random within bounds; without the delay there are thousands.
    expect(count()).toBeLessThanOrEqual(120);
    expect(left(world)).toHaveLength(1);
    expect(applied(world, "POST")).toEqual([path]);
  });
});

describe.each(all.filter(({ kind }) => labelled.has(kind)))("…and that is to be changed: a $kind", (one) => {
  const { kind, path } = one;

  it.each(["spec", "cloud"])("is asked for with growing delay, and changed in the end: by the %s", async (where) => {
    const world = await denied(one);
    const count = countOf(world, path);
    const [{ id } = { id: "" }] = left(world);
    if (where === "spec") world.cluster.patch(kind, "one", { spec: { label: "another" } });
    else world.cloud.change(path, id, { label: "another" });
    await world.advance(minutes(10));
    // When each is due is random within bounds; without the delay there are thousands.
    expect(count()).toBeLessThanOrEqual(120);
    world.cloud.clearFaults();
    await world.advance(minutes(6));
    expect(world.cluster.get(kind, "one")).toBeReady();
    expect(left(world).map(({ fields }) => fields["label"])).toEqual([where === "spec" ? "another" : "one"]);
  });
});

const otherwise: (Case & { shown: JsonObject })[] = [
  { kind: "SSHKey", ...shapes.SSHKey, shown: { label: "other" } },
  { kind: "Firewall", ...shapes.Firewall, shown: { label: "other" } },
  { kind: "ComputeInstance", ...shapes.ComputeInstance, shown: { label: "other" } },
  { kind: "Domain", path: "/domains", spec: domain, shown: { soa_email: "other@example.org" } },
];

it.each(otherwise)(
  "a $kind that its list shows otherwise than its own path stays ready, and is not written",
  async (one) => {
    const { kind, path, shown } = one;
    const world = await withReady(one);
    world.cloud.settings.inLists = (fields) => ({ ...fields, ...shown });
    const [count, before, writes] = [countOf(world, path), changedAt(world, kind), world.cluster.writes().length];
    await world.advance(minutes(20));
    // With each poll the list, and the row that is read before a change.
    expect(count()).toBeLessThanOrEqual(45);
    expect(changedAt(world, kind)).toBe(before);
    expect(
      world.cluster
        .writes()
        .slice(writes)
        .filter(({ key }) => key === "default/one"),
    ).toEqual([]);
    expect(world.cluster.events().filter(({ key, type }) => key === "default/one" && type === "Warning")).toEqual([]);
    expect(applied(world, "PUT")).toEqual([]);
  },
);

const changing = [
  { kind: "Firewall", field: "label" },
  { kind: "SSHKey", field: "label" },
  { kind: "ComputeInstance", field: "host_uuid" },
] as const;

describe.each(changing)("a $kind whose $field differs with each read", ({ kind, field }) => {
  it("says so where it is to be changed, at little cost, and is changed once it stands still", async () => {
    const world = await withReady({ kind, ...shapes[kind] });
    const [row] = left(world);
    let reads = 0;
    const value = row!.fields[field];
    Object.defineProperty(row!.fields, field, {
      get: () => `value ${(reads += 1)}`,
      enumerable: true,
      configurable: true,
    });
    const count = countOf(world, shapes[kind].path);
    world.cluster.patch(kind, "one", { spec: { label: "another" } });
    await world.advance(minutes(15));
    expect(messageOf(world, kind, "one")).toContain("returns different values. The operator changes nothing");
    expect(count()).toBeLessThanOrEqual(150);
    expect(applied(world, "PUT")).toEqual([]);
    Object.defineProperty(row!.fields, field, { value, enumerable: true, writable: true });
    await world.advance(minutes(10));
    expect(row!.fields["label"]).toBe("another");
    expect(world.cluster.get(kind, "one")).toBeReady();
  });
});
