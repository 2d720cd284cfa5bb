/** A request that creates, destroys or grants access leaves only on facts that the API server has just confirmed. */
import { expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { messageOf, minutes, shapes, stateOf, walls } from "../support.ts";

const zone = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };
const record = { type: "A", name: "www", target: "192.0.2.1" };

function changesSince({ cloud }: World, since: number): LedgerEntry[] {
  return cloud.ledger().filter(({ method, number }) => method !== "GET" && number >= since);
}

/** Silences the watch of a kind, makes a change, and waits for ten seconds. Returns the number of the next request to the cloud. */
async function stall(world: World, kind: string, change: () => void): Promise<number> {
  world.cluster.watch.stalled.add(kind);
  change();
  await world.advance(10_000);
  return world.cloud.ledger().length;
}

it("a zone is not deleted after one of its records became protected, although the watch of records is silent", async () => {
  const world = createWorld();
  world.cluster.create("Domain", "zone", zone);
  world.cluster.create("DomainRecord", "www", { domainRef: { name: "zone" }, ...record });
  await world.advance(minutes(3));
  expect(world.cluster.get("DomainRecord", "www")).toBeReady();
  const since = await stall(world, "DomainRecord", () => {
    world.cluster.patch("DomainRecord", "www", { spec: { management: { protect: true } } });
  });
  world.cluster.delete("Domain", "zone");
  await world.advance(minutes(5));
  expect(changesSince(world, since).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(messageOf(world, "Domain", "zone")).toContain("DomainRecord www (protected)");
});

it("a namespace adopts and changes nothing after sharing was withdrawn, although the watch of accounts is silent", async () => {
  const world = createWorld();
  world.cluster.patch("CloudAccount", "default", {
    spec: { sharing: { namespaces: ["team-b"], existing: ["team-b"] } },
  });
  const { id } = world.cloud.add(walls, {
    label: "theirs",
    rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" },
  });
  await world.advance(minutes(1));
  const since = await stall(world, "CloudAccount", () => {
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: null } });
  });
  const spec = {
    ...shapes.Firewall.spec,
    inboundPolicy: "ACCEPT",
    accountRef: { name: "default", namespace: "default" },
  };
  world.cluster.create("Firewall", "open", spec, { namespace: "team-b", management: { adopt: { id } } });
  await world.advance(minutes(5));
  expect(changesSince(world, since).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(stateOf(world, "Firewall", "open", "team-b")).toBe("NotShared");
});

it("nothing leaves with a token that was rotated out, although the watch of Secrets is silent", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "changed", shapes.Firewall.spec);
  world.cluster.create("Firewall", "deleted", shapes.Firewall.spec);
  await world.advance(minutes(1));
  world.cloud.addToken("rotated", "ada");
  const since = await stall(world, "Secret", () => {
    const data = { token: Buffer.from("rotated").toString("base64") };
    world.cluster.objects.patch(secrets, { namespace: "default", name: "cloud-token" }, { data });
  });
  world.cluster.patch("Firewall", "changed", { spec: { inboundPolicy: "ACCEPT" } });
  world.cluster.delete("Firewall", "deleted");
  world.cluster.create("Firewall", "created", shapes.Firewall.spec);
  await world.advance(minutes(5));
  const sent = changesSince(world, since);
  expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(["POST", "PUT", "DELETE"]));
  expect(sent.filter(({ token }) => token !== "rotated")).toEqual([]);
});
