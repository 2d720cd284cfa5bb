/** How many calls and reads things take. */
import { expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, obey, paths, specs } from "../support.ts";
import type { CaseKind } from "../support.ts";

/** How often the cloud was asked for a path. */
function countGets({ cloud }: World, path: string): number {
  return cloud.ledger().filter((entry) => entry.method === "GET" && entry.path === path).length;
}

/** Counts GETs of an object of the kind at the API server. */
function countReads({ cluster: { objects } }: World, kind: CaseKind): { reads: number } {
  const counted = { reads: 0 };
  const { get } = objects;
  objects.get = (resource, ref) => {
    if (resource.plural === resources.get(kind)?.plural) counted.reads += 1;
    return get(resource, ref);
  };
  return counted;
}

it.each(["SSHKey", "Firewall", "Domain", "Bucket", "ComputeInstance"] as const)(
  "%s: one read of the object confirms its creation, and there is none while nothing changes",
  async (kind) => {
    const world = createWorld();
    const counted = countReads(world, kind);
    world.cluster.create(kind, "one-thing", specs[kind]);
    await world.advance(120_000);
    expect(counted.reads).toBe(1);
    world.restart();
    await world.advance(3_600_000);
    expect(counted.reads).toBe(1);
  },
);

it("an account asks once whose its token is, though its own writes wake it", async () => {
  const world = createWorld();
  await world.advance(5_000);
  expect(countGets(world, "/profile")).toBe(1);
});

it("an uncertain creation is searched for ever more seldom, and people who decide need not wait", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(3_600_000);
  const before = countGets(world, paths.ComputeInstance);
  await world.advance(3_600_000);
  // Every five minutes, less up to a quarter by chance.
  expect(countGets(world, paths.ComputeInstance) - before).toBeLessThanOrEqual(16);
  obey(world, "ComputeInstance", "web");
  await world.advance(60_000);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});

it("2,000 records that are created at once take at most 1.05 calls and two writes each, though the rate limit holds back many", async () => {
  const count = 2_000;
  const world = createWorld();
  world.cluster.create("Domain", "zone", specs.Domain);
  await world.advance(10_000);
  const since = world.cloud.ledger().length;
  const written = world.cluster.writes().length;
  for (let index = 0; index < count; index += 1) {
    const spec = { domainRef: { name: "zone" }, type: "A", name: `host-${index}`, target: `192.0.2.${index % 250}` };
    world.cluster.create("DomainRecord", `host-${index}`, spec);
  }
  // The client keeps to what it takes for the limits until answers name others.
  await world.advance(180_000);
  const ready = world.cluster.list("DomainRecord").filter((record) => conditionOf(record, "Ready")?.status === "True");
  expect(ready).toHaveLength(count);
  expect(world.cloud.rows(`${paths.Domain}/${idOf(world, "Domain", "zone")}/records`)).toHaveLength(count);
  const records = world.cloud.ledger().filter(({ number, path }) => number >= since && path.endsWith("/records"));
  expect(records.length).toBeLessThanOrEqual(1.05 * count);
  expect(world.cluster.writes().slice(written)).toHaveLength(2 * count);
}, 120_000);

it("what the rate limit holds back says so after five minutes, and is written once for that", async () => {
  const world = createWorld();
  // Ten in half a minute may be created.
  for (let index = 0; index < 150; index += 1)
    world.cluster.create("ComputeInstance", `web-${index}`, specs.ComputeInstance);
  const heldBack = () => world.cluster.list("ComputeInstance").filter(({ status }) => status?.["id"] === undefined);
  await world.advance(280_000);
  expect(heldBack().length).toBeGreaterThan(20);
  expect(heldBack().filter((object) => conditionOf(object, "Ready"))).toEqual([]);
  await world.advance(90_000);
  const reasons = heldBack().map((object) => conditionOf(object, "Ready")?.reason);
  expect(reasons).toContain("RateLimited");
  expect(new Set(reasons)).toEqual(new Set(["RateLimited"]));
  const said = world.cluster.writes().filter(({ body }) => JSON.stringify(body).includes("RateLimited"));
  expect(new Set(said.map(({ key }) => key)).size).toBe(said.length);
});
