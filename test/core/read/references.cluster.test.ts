import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld(sharedControlPlane());
});
afterEach(() => world.stop());

const instance = { region: "us-east", type: "g6-standard-1" };
const closed = { inboundPolicy: "DROP", outboundPolicy: "DROP" };

/** Another client of the same account makes it; answers its id. */
async function exists(path: string, body: object): Promise<string> {
  const response = await fetch(`${world.simulator.url}/v4${path}`, {
    method: "POST",
    headers: { authorization: "Bearer another-client", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return String(((await response.json()) as { id: number }).id);
}

async function vanish(path: string): Promise<void> {
  const headers = { authorization: "Bearer another-client" };
  const url = `${world.simulator.url}/v4${path}`;
  await fetch(url, { method: "DELETE", headers });
  await expect.poll(async () => (await fetch(url, { headers })).status).toBe(404);
}

beforeEach(() => world.simulator.control.addToken({ token: "another-client", username: "demo", label: "another" }));

test("an id that nothing in the account has is no outage: it is said, with the field", async () => {
  const id = await exists("/compute/instances", instance);
  const domainRef = { id: "999" };
  await world.apply(
    world.object("DomainRecord", "www", { domainRef, type: "A", name: "www", target: "192.0.2.1" }),
    world.object("Firewall", "web", { ...closed, instanceRefs: [{ id }, { id: "999" }] }),
  );
  const record = await world.condition("DomainRecord", "www", "Stalled", "InvalidSpec");
  expect(conditionOf(record, "Ready")?.message).toBe(
    "spec.domainRef.id: Domain 999 does not exist in the account. Correct the ID",
  );
  const firewall = await world.condition("Firewall", "web", "Stalled", "InvalidSpec");
  expect(conditionOf(firewall, "Ready")?.message).toBe(
    "spec.instanceRefs[1].id: ComputeInstance 999 does not exist in the account. Correct the ID",
  );
  expect(world.simulator.control.ledger({ mutating: true }).filter(({ token }) => token === "demo")).toEqual([]);

  await world.patch("Firewall", "web", { spec: { instanceRefs: [{ id }] } });
  await world.ready("Firewall", "web");
});

test("an id that a restricted user does not see may be there: the message says so", async () => {
  const { control } = world.simulator;
  const hidden = await exists("/domains", { domain: "example.org", type: "master", soa_email: "dns@example.org" });
  control.addUser("demo", { username: "ada", restricted: true });
  control.addToken({ token: "token-of-ada", username: "ada" });
  await world.apply(
    { apiVersion: "v1", kind: "Secret", metadata: { name: "ada" }, stringData: { token: "token-of-ada" } },
    world.object("CloudAccount", "ada", { tokenSecretRef: { name: "ada" } }),
    world.object("DomainRecord", "www", {
      accountRef: { name: "ada" },
      domainRef: { id: hidden },
      type: "A",
      target: "192.0.2.1",
    }),
  );
  const record = await world.condition("DomainRecord", "www", "Stalled", "InvalidSpec");
  expect(conditionOf(record, "Ready")?.message).toBe(
    `spec.domainRef.id: the user of the token is restricted, and does not see Domain ${hidden}. Correct the ID, or give the user a grant`,
  );
});

test("one request tells all who refer to an id that it exists", async () => {
  const id = await exists("/domains", { domain: "example.org", type: "master", soa_email: "dns@example.org" });
  const record = (name: string) =>
    world.object("DomainRecord", name, { domainRef: { id }, type: "A", name, target: "192.0.2.1" });
  const names = ["a", "b", "c", "d"];
  await world.apply(...names.map(record));
  for (const name of names) await world.ready("DomainRecord", name);
  const asked = world.simulator.control.ledger({ method: "GET", path: `/v4/domains/${id}` });
  // Each read of the events that tells of the domain may have it asked for once more.
  const told = world.simulator.control.ledger({ method: "GET", path: "/v4/account/events" });
  const requests = asked.filter(({ token }) => token === "demo").length;
  expect(requests).toBeGreaterThan(0);
  expect(requests).toBeLessThanOrEqual(1 + told.length);
  expect(requests).toBeLessThan(names.length);
});

test("a firewall waits for an instance that vanished, and goes on with the one that takes its place", async () => {
  const recreate = { spec: { management: { missingPolicy: "Recreate" } } };
  await world.apply(
    world.object("ComputeInstance", "web-1", instance),
    world.object("Firewall", "web", { ...closed, instanceRefs: [{ name: "web-1" }] }),
  );
  await world.ready("Firewall", "web");
  const { status } = await world.ready("ComputeInstance", "web-1");
  await vanish(`/compute/instances/${String(status?.["id"])}`);
  await world.condition("ComputeInstance", "web-1", "Stalled", "Missing");
  const waiting = await world.condition("Firewall", "web", "Reconciling", "WaitingForReference");
  expect(conditionOf(waiting, "Ready")?.message).toMatch(
    /ComputeInstance web-1 has no cloud object any more: instance \d+ no longer exists\. Read the conditions of that object$/,
  );

  await world.patch("ComputeInstance", "web-1", recreate);
  await world.ready("Firewall", "web");
  const replaced = await world.ready("ComputeInstance", "web-1");
  await expect
    .poll(async () => (await world.get("Firewall", "web"))?.status?.["devices"])
    .toMatchObject([{ instanceID: replaced.status?.["id"] }]);
});
