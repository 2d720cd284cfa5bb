/** Values of DNS records that do not fit their domain, or the records beside them. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, messageOf, specs, stateOf } from "../support.ts";

const soonMs = 60_000;
const domainRef = { name: "zone" };

async function withZone(): Promise<{ world: World; path: string }> {
  const world = createWorld();
  world.cluster.create("Domain", "zone", specs.Domain);
  await world.advance(soonMs);
  return { world, path: `/domains/${idOf(world, "Domain", "zone")}/records` };
}

function record({ cluster }: World, name: string, spec: object, management?: object): void {
  cluster.create("DomainRecord", name, { domainRef, ...spec }, management && { management });
}

function said(world: World, name: string): string {
  return `${stateOf(world, "DomainRecord", name)} ${messageOf(world, "DomainRecord", name)}`;
}

describe("a record is refused with the field and the reason", () => {
  it.each([
    {
      because: "a full name is in another domain",
      spec: { type: "A", name: "www.other.org.", target: "192.0.2.9" },
      says: "spec.name: www.other.org. ends with a period, so it is a full name, and it is not in the domain example.org",
    },
    {
      because: "a name of one label with a period is a full name, too",
      spec: { type: "A", name: "www.", target: "192.0.2.9" },
      says: "spec.name: www. ends with a period",
    },
    {
      because: "a CNAME has the name of the domain",
      spec: { type: "CNAME", name: "example.org", target: "www.example.net" },
      says: "spec.name: example.org is the domain itself",
    },
  ])("$because", async ({ spec, says }) => {
    const { world } = await withZone();
    const since = world.cloud.ledger().length;
    record(world, "one", spec);
    await world.advance(soonMs);
    expect(said(world, "one")).toContain(`InvalidSpec ${says}`);
    expect(changes(world, since)).toEqual([]);
    world.cluster.patch("DomainRecord", "one", { spec: { name: "www" } });
    await world.advance(soonMs);
    expect(world.cluster.get("DomainRecord", "one")).toBeReady();
  });
});

it("a record whose name does not fit any more is deleted with its object", async () => {
  const { world, path } = await withZone();
  record(world, "one", { type: "A", name: "www", target: "192.0.2.9" });
  await world.advance(soonMs);
  world.cluster.patch("DomainRecord", "one", { spec: { name: "www.other.org." } });
  await world.advance(soonMs);
  expect(said(world, "one")).toContain("InvalidSpec");
  world.cluster.delete("DomainRecord", "one");
  await world.advance(soonMs);
  expect(world.cloud.rows(path)).toEqual([]);
  expect(world.cluster.get("DomainRecord", "one")).toBeUndefined();
});

const address = { type: "A", name: "www", target: "192.0.2.9" };
const alias = { type: "CNAME", name: "WWW.example.org.", target: "shop.example.net" };

describe("a CNAME and a record of the same name are not both sent", () => {
  it.each([
    { because: "a CNAME after an address", first: address, second: alias },
    { because: "an address after a CNAME", first: alias, second: address },
    { because: "a CNAME after another CNAME", first: alias, second: { ...alias, target: "web.example.net" } },
    {
      because: "a CNAME after an SRV record",
      first: { type: "SRV", service: "sip", protocol: "tcp", target: "a.example.net", port: 1, priority: 1, weight: 1 },
      second: { ...alias, name: "_sip._tcp" },
    },
  ])("$because", async ({ first, second }) => {
    const { world, path } = await withZone();
    record(world, "first", first);
    await world.advance(soonMs);
    const since = world.cloud.ledger().length;
    record(world, "second", second);
    await world.advance(soonMs);
    expect(said(world, "second")).toContain("Conflict spec.name: A CNAME record cannot exist beside another record");
    expect(said(world, "second")).toContain("DomainRecord default/first");
    expect(changes(world, since)).toEqual([]);
    world.cluster.delete("DomainRecord", "first");
    await world.advance(10_000);
    expect(world.cluster.get("DomainRecord", "second")).toBeReady();
    expect(world.cloud.rows(path)).toHaveLength(1);
  });

  it.each(["first", "last"])("both in one apply, the CNAME %s", async (order) => {
    const { world, path } = await withZone();
    for (const [name, spec] of order === "first"
      ? ([
          ["a", alias],
          ["b", address],
        ] as const)
      : ([
          ["a", address],
          ["b", alias],
        ] as const))
      record(world, name, spec);
    await world.advance(soonMs);
    expect(world.cloud.rows(path)).toHaveLength(1);
    const states = ["a", "b"].map((name) => stateOf(world, "DomainRecord", name));
    expect(new Set(states)).toEqual(new Set(["Conflict", "Ready"]));
  });

  it("a record without an object is named by what it is", async () => {
    const { world, path } = await withZone();
    world.cloud.add(path, { type: "TXT", name: "www", target: "hello" });
    await world.advance(2 * soonMs);
    record(world, "alias", alias);
    await world.advance(soonMs);
    expect(said(world, "alias")).toContain("the TXT record www hello (ID ");
  });

  it("a rename is refused as well, and other fields are not changed with it", async () => {
    const { world, path } = await withZone();
    record(world, "address", address);
    record(world, "alias", { ...alias, name: "shop" });
    await world.advance(soonMs);
    const since = world.cloud.ledger().length;
    world.cluster.patch("DomainRecord", "alias", { spec: { name: "www", ttlSeconds: 300 } });
    await world.advance(soonMs);
    expect(said(world, "alias")).toContain("Conflict");
    expect(changes(world, since)).toEqual([]);
    expect(new Set(world.cloud.rows(path).map(({ name }) => name))).toEqual(new Set(["shop", "www"]));
  });

  it("addresses of one name are as many as you like", async () => {
    const { world, path } = await withZone();
    for (const [index, target] of ["192.0.2.1", "192.0.2.2", "2001:db8::1"].entries())
      record(world, `address-${index}`, { type: target.includes(":") ? "AAAA" : "A", name: "www", target });
    await world.advance(soonMs);
    expect(world.cloud.rows(path)).toHaveLength(3);
  });
});

function observedOf({ cluster }: World, name: string): JsonObject {
  return cluster.get("DomainRecord", name)?.status?.["observed"] as JsonObject;
}

describe("a record that exists", () => {
  const stored: JsonObject = { type: "TXT", name: "Mail", target: '"v=spf1 -all"', ttl_sec: 0 };

  async function withAdopted(filter: Record<string, string>, policy: string) {
    const { world, path } = await withZone();
    const { id } = world.cloud.add(path, stored);
    await world.advance(2 * soonMs);
    const since = world.cloud.ledger().length;
    record(
      world,
      "spf",
      { type: "TXT", name: "mail", target: '"v=spf1 -all"' },
      { policy, adopt: { filter, overwrite: true } },
    );
    await world.advance(soonMs);
    return { world, path, id, since };
  }

  it("is found by a filter in another case", async () => {
    const { world, id } = await withAdopted({ type: "txt", name: "mail" }, "Manage");
    expect(idOf(world, "DomainRecord", "spf")).toBe(id);
  });

  it("differs if its text has quotes, and observed says so in the form of a spec", async () => {
    const { world, since } = await withAdopted({ name: "Mail" }, "Observe");
    expect(said(world, "spf")).toContain("Drifted");
    expect(observedOf(world, "spf")["target"]).toBe(String.raw`"\"v=spf1 -all\""`);
    expect(changes(world, since)).toEqual([]);
  });

  it("gets the text without quotes when it is managed", async () => {
    const { world, path } = await withAdopted({ name: "Mail" }, "Manage");
    expect(world.cloud.rows(path)).toMatchObject([{ target: "v=spf1 -all" }]);
  });

  it("shows a short time to live in observed", async () => {
    const { world, path } = await withZone();
    const { id } = world.cloud.add(path, { ...address, ttl_sec: 120 });
    record(world, "www", address, { policy: "Observe", adopt: { id } });
    await world.advance(2 * soonMs);
    expect(observedOf(world, "www")["ttlSeconds"]).toBe(120);
  });
});

it("a record whose relative name is the name of the domain is no duplicate of a record of the domain itself", async () => {
  const { world, path } = await withZone();
  record(world, "apex", { type: "A", name: "example.org", target: "192.0.2.9" });
  await world.advance(soonMs);
  record(world, "doubled", { type: "A", name: "example.org.example.org", target: "192.0.2.9" });
  await world.advance(soonMs);
  expect(said(world, "doubled")).toMatch(/^Ready/);
  expect(world.cloud.rows(path)).toHaveLength(2);
});

it("a record with the full name of another record is its duplicate", async () => {
  const { world, path } = await withZone();
  record(world, "full", { type: "A", name: "www.example.org", target: "192.0.2.9" });
  await world.advance(soonMs);
  record(world, "relative", { type: "A", name: "www", target: "192.0.2.9" });
  await world.advance(soonMs);
  expect(said(world, "relative")).toMatch(/^Conflict/);
  expect(world.cloud.rows(path)).toHaveLength(1);
});
