import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

const hostname = "www.followed.example.org";
const place = { region: "us-east", type: "g6-standard-1" };
const web = { kind: "ComputeInstance", name: "followed", address: "Public" };
const rule = { action: "ACCEPT", protocol: "TCP", ports: "22", fromRefs: [web] };

/** The simulator's rows, and the addresses that they contain. */
interface Shown {
  records: unknown[];
  rules: unknown;
  allowed: unknown;
  named: unknown[];
  shared: unknown[];
}

function shown(): Shown {
  const { control } = world.simulator;
  const firewall = control.rows("firewall").find(({ label }) => label === "followed-wall");
  const database = control.rows("database").find(({ label }) => label === "followed-db");
  const addresses = control.rows("address");
  const rules = firewall?.["rules"] as { inbound: { addresses: { ipv4: string[] } }[] } | undefined;
  return {
    records: control.rows("record").map(({ target }) => target),
    rules: rules?.inbound[0]?.addresses.ipv4,
    allowed: database?.["allow_list"],
    named: addresses.filter(({ rdns }) => rdns === hostname).map(({ address }) => address),
    shared: addresses.filter(({ sharedWith }) => (sharedWith as number[]).length > 0).map(({ address }) => address),
  };
}

const follows = (address: string): Shown => ({
  records: [address],
  rules: [`${address}/32`],
  allowed: [`${address}/32`],
  named: [address],
  shared: [address],
});

async function addressOf(): Promise<string> {
  const { status } = await world.ready("ComputeInstance", "followed");
  return ((status?.["ipv4"] ?? []) as string[])[0] ?? "";
}

test("all dependents follow an instance that is deleted and created again", async () => {
  const instance = () => world.object("ComputeInstance", "followed", { ...place, image: "compute/debian12" });
  await world.apply(
    instance(),
    world.object("Domain", "followed-zone", {
      domain: "followed.example.org",
      type: "master",
      soaEmail: "ada@example.org",
    }),
    world.object("DomainRecord", "followed-www", {
      domainRef: { name: "followed-zone" },
      type: "A",
      name: "www",
      targetRef: web,
    }),
    world.object("Firewall", "followed-wall", {
      inboundPolicy: "DROP",
      outboundPolicy: "ACCEPT",
      inbound: [rule],
    }),
    world.object("ManagedMySQL", "followed-db", { ...place, engine: "mysql/8.0.30", allowRefs: [web] }),
    world.object("ReverseDNS", "followed-name", { addressRef: web, hostname }),
    world.object("ComputeInstance", "followed-spare", place),
    world.object("IPSharing", "followed-share", { instanceRef: { name: "followed-spare" }, addressRefs: [web] }),
  );
  const before = await addressOf();
  const dependents = [
    ["DomainRecord", "followed-www"],
    ["Firewall", "followed-wall"],
    ["ManagedMySQL", "followed-db"],
    ["ReverseDNS", "followed-name"],
    ["IPSharing", "followed-share"],
  ] as const;
  for (const [kind, name] of dependents) await world.ready(kind, name, 60_000);
  expect(shown()).toEqual(follows(before));

  await world.remove("ComputeInstance", "followed");
  await world.gone("ComputeInstance", "followed");
  // The cloud removes the address with the instance.
  expect(shown()).toEqual({ ...follows(before), named: [], shared: [] });
  world.simulator.control.clearLedger();
  await world.apply(instance());
  const after = await addressOf();
  expect(after).not.toBe(before);
  await expect.poll(shown, { timeout: 20_000 }).toEqual(follows(after));
  for (const [kind, name] of dependents) {
    const { status } = await world.ready(kind, name);
    expect(status?.["referencedAddresses"]).toEqual([{ kind: "ComputeInstance", name: "followed", address: after }]);
  }
  // A reverse name is refused until its record has the new address.
  const puts = world.simulator.control.ledger({ method: "PUT" }).filter(({ status }) => status === 200);
  expect(puts).toHaveLength(4);
});
