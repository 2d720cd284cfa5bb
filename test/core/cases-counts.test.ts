/** How many calls and reads things take. */
import { expect, it } from "vitest";
import { resources } from "../world/cluster.ts";
import { conditionOf, createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { idOf, paths, specs } from "./situations.ts";
import type { CaseKind } from "./situations.ts";

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

it("2,000 records that are created at once take at most 1.05 calls each", async () => {
  const count = 2_000;
  const world = createWorld();
  world.cluster.create("Domain", "zone", specs.Domain);
  await world.advance(10_000);
  const since = world.cloud.ledger().length;
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
}, 120_000);
