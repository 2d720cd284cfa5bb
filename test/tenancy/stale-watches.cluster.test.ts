import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { lines } from "./support/cloud.ts";
import { startInstallation } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { smallInstance, zone } from "./support/orders.ts";
import { messagesOf, verdictOf } from "./support/verdict.ts";

/** Requests of the operator while one watch is silent, and after objects were restored from a backup. */
let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterEach(() => ["domainrecords", "cloudaccounts", "secrets"].forEach((plural) => installation.proxy.release(plural)));
afterAll(() => installation.stop());

/** Longest age in milliseconds of a fact on which a request may leave: the promise of the threat model. */
const permittedAge = 500;

/** Waits until each fact that the operator read before this call is older than the promise permits. */
async function untilFactsAreOld(): Promise<void> {
  const start = performance.now();
  await expect.poll(() => performance.now() - start).toBeGreaterThan(permittedAge);
}

test("a record that was protected while its watch is silent keeps the zone", async () => {
  const { shop, cloud } = await installation.stage();
  const domain = shop.object("Domain", "zone", zone(`zone-${cloud.account}.example`));
  const spec = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.7" };
  const record = shop.object("DomainRecord", "www-record", spec);
  await shop.editor.apply(domain, record);
  await shop.ready("DomainRecord", "www-record");
  installation.proxy.stall("domainrecords");
  await shop.editor.patch(record, { spec: { management: { protect: true } } });
  await untilFactsAreOld();
  await shop.editor.remove(domain);
  const answered = async (): Promise<boolean> => {
    const found = await shop.editor.get(domain);
    return found === undefined || messagesOf(found).includes("www-record");
  };
  await expect.poll(answered).toBe(true);
  expect(lines(cloud.changes().filter(({ method }) => method === "DELETE"))).toEqual([]);
  expect(await shop.editor.get(domain)).toBeDefined();
});

test("sharing that was withdrawn while its watch is silent keeps team-b from the firewall of another user", async () => {
  const { teamB, cloud, admin, account } = await installation.stage();
  const shared = [teamB.namespace];
  const rules = { inbound: [], outbound: [], inbound_policy: "DROP", outbound_policy: "ACCEPT" };
  const { id } = await cloud.byHand("POST", "/networking/firewalls", { label: "wall", rules });
  await admin.patch(account, { spec: { sharing: { namespaces: shared, existing: shared } } });
  const proof = teamB.object("Domain", "proof", zone(`proof-${cloud.account}.example`));
  await teamB.editor.apply(proof);
  await teamB.ready("Domain", "proof");
  installation.proxy.stall("cloudaccounts");
  await admin.patch(account, { spec: { sharing: null } });
  await untilFactsAreOld();
  const mark = cloud.mark();
  const taker = teamB.object("Firewall", "taker", {
    label: "wall",
    inboundPolicy: "ACCEPT",
    outboundPolicy: "ACCEPT",
    management: { adopt: { id: String(id), overwrite: true } },
  });
  await teamB.editor.apply(taker);
  const verdict = await verdictOf(teamB, taker);
  expect(lines(cloud.changes(mark))).toEqual([]);
  expect(cloud.rows("firewall")).toMatchObject([{ rules: { inbound_policy: "DROP" } }]);
  expect(verdict).toMatchObject({ type: "Stalled", reason: "NotShared" });
});

test("a token that was rotated while the watch of Secrets is silent leaves with no POST, PUT or DELETE", async () => {
  const { shop, cloud, admin, secret } = await installation.stage();
  installation.proxy.stall("secrets");
  const name = `rotated-${cloud.account}.example`;
  const domain = shop.object("Domain", "rotated", zone(name));
  const rotate = async (label: string): Promise<number> => {
    const token = `${label}-token-of-${cloud.account}`;
    installation.simulator.control.addToken({
      token,
      label,
      account: cloud.account,
      username: `user-of-${cloud.account}`,
    });
    await admin.apply(secret(shop, "cloud-token", { token }));
    await untilFactsAreOld();
    return cloud.mark();
  };
  const tokensSince = (mark: number): string[] =>
    cloud.changes(mark).map((entry) => `${entry.method} with ${entry.token}`);

  let mark = await rotate("second");
  await shop.editor.apply(domain);
  await shop.ready("Domain", "rotated");
  expect(tokensSince(mark)).toEqual(["POST with second"]);
  mark = await rotate("third");
  await shop.editor.patch(domain, { spec: { description: "changed" } });
  await shop.until(
    "Domain",
    "rotated",
    ({ metadata, status }) => status?.["observedGeneration"] === metadata.generation,
  );
  await shop.ready("Domain", "rotated");
  expect(tokensSince(mark)).toEqual(["PUT with third"]);
  mark = await rotate("fourth");
  await shop.editor.remove(domain);
  await shop.gone("Domain", "rotated");
  expect(tokensSince(mark)).toEqual(["DELETE with fourth"]);
});

const letGo = "cloudplatform.dev/orphan";

test("an IPAddress that was restored without status and annotations is a Conflict, and the operator orders no second address", async () => {
  const { shop, cloud, admin } = await installation.stage();
  const { region, type } = smallInstance;
  await shop.editor.apply(shop.object("ComputeInstance", "host", { region, type }));
  await shop.ready("ComputeInstance", "host");
  const address = shop.object("IPAddress", "second", { instanceRef: { name: "host" }, public: true });
  await shop.editor.apply(address);
  const { status } = await shop.ready("IPAddress", "second");
  const orders = () => lines(cloud.changes().filter(({ method, path }) => method === "POST" && path.includes("/ips")));
  expect(orders()).toHaveLength(1);
  await installation.restart([], async () => {
    await admin.patch(address, { metadata: { annotations: { [letGo]: "true" }, finalizers: null } });
    await admin.remove(address);
    await shop.gone("IPAddress", "second");
    await shop.editor.apply(address);
  });
  const verdict = await verdictOf(shop, address);
  expect(orders()).toHaveLength(1);
  expect(verdict).toMatchObject({ type: "Stalled", reason: "Conflict" });
  expect(verdict.message).toContain(String(status?.["id"]));
  await shop.editor.patch(address, { spec: { management: { adopt: { id: String(status?.["id"]) } } } });
  await shop.ready("IPAddress", "second");
  expect(orders()).toHaveLength(1);
});

test("a first IPAddress on an instance that has only its own address is ordered", async () => {
  const { shop, cloud } = await installation.stage();
  const { region, type } = smallInstance;
  await shop.editor.apply(shop.object("ComputeInstance", "host", { region, type }));
  await shop.ready("ComputeInstance", "host");
  await shop.editor.apply(shop.object("IPAddress", "second", { instanceRef: { name: "host" }, public: true }));
  await shop.ready("IPAddress", "second");
  expect(cloud.changes().filter(({ method, path }) => method === "POST" && path.includes("/ips"))).toHaveLength(1);
});
