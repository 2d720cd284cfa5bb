import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { startInstallation } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { smallInstance, zone } from "./support/orders.ts";
import type { Stage } from "./support/stage.ts";
import { messagesOf, verdictOf } from "./support/verdict.ts";

/** Objects that hold another object, and objects that must not. */
let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.stop());

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
const firewall = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const protect = { management: { protect: true } };

test("a Firewall of team-c that names the account holds neither the account nor its namespace", async () => {
  const { shop, teamC, admin, account } = await installation.stage();
  const stranger = teamC.object("Firewall", "stranger", firewall);
  await teamC.editor.apply(stranger);
  expect(await verdictOf(teamC, stranger)).toMatchObject({ type: "Stalled" });
  await admin.remove(account);
  await shop.gone("CloudAccount", "default", 10_000);
  await admin.kube.delete(namespaces, { name: shop.namespace });
  await expect.poll(() => admin.kube.get(namespaces, { name: shop.namespace })).toBeUndefined();
});

interface Contained {
  parent: string;
  child: string;
  /** Makes the cloud object without the operator, and returns the ID. */
  make: (stage: Stage) => Promise<unknown>;
  table: string;
  spec: (stage: Stage) => object;
  childSpec: (id: string) => object;
}

const contained: Contained[] = [
  {
    parent: "Domain",
    child: "DomainRecord",
    table: "domain",
    make: async ({ cloud }) => {
      const { domain, type, soaEmail: soa_email } = zone(`adopted-${cloud.account}.example`);
      return (await cloud.byHand("POST", "/domains", { domain, type, soa_email }))["id"];
    },
    spec: ({ cloud }) => zone(`adopted-${cloud.account}.example`),
    childSpec: (id) => ({ domainRef: { id }, type: "A", name: "www", target: "192.0.2.7", ...protect }),
  },
  {
    parent: "ComputeInstance",
    child: "ComputeDisk",
    table: "instance",
    make: async ({ cloud }) => {
      const { region, type } = smallInstance;
      return (await cloud.byHand("POST", "/compute/instances", { region, type, label: "adopted" }))["id"];
    },
    spec: () => ({ region: smallInstance.region, type: smallInstance.type, label: "adopted" }),
    childSpec: (id) => ({ instanceRef: { id }, sizeMB: 1_024, ...protect }),
  },
];

test.each(contained)(
  "a protected $child that names its parent by ID holds the $parent that adopted the cloud object",
  async ({ parent, child, make, table, spec, childSpec }) => {
    const stage = await installation.stage();
    const { shop, cloud } = stage;
    const id = String(await make(stage));
    const holder = shop.object(child, "holder", childSpec(id));
    await shop.editor.apply(holder);
    await shop.ready(child, "holder");
    const adopted = shop.object(parent, "adopted", { ...spec(stage), management: { adopt: { id } } });
    await shop.editor.apply(adopted);
    await shop.ready(parent, "adopted");
    await shop.editor.remove(adopted);
    await untilAnswered(stage, adopted);
    expect(cloud.rows(table).map((row) => String(row["id"]))).toEqual([id]);
    expect(cloud.changes().filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(messagesOf(await shop.editor.get(adopted))).toContain("holder");
  },
);

/** Waits until the deleted object is gone, or reports the objects that hold it. */
async function untilAnswered({ admin }: Stage, object: object): Promise<void> {
  const held = (found: KubeObject | undefined): boolean =>
    found === undefined || /WaitingForDependents/.test(messagesOf(found));
  await expect.poll(async () => held(await admin.get(object))).toBe(true);
}

test("after a restart for one namespace, a record of an unwatched namespace still holds the zone, the account and the token", async () => {
  const stage = await installation.stage();
  const { shop, teamB, cloud, admin, account, secret } = stage;
  const sharing = { namespaces: [teamB.namespace], existing: [teamB.namespace] };
  await admin.patch(account, { spec: { sharing } });
  const { domain, type, soaEmail } = zone(`shared-${cloud.account}.example`);
  const id = String((await cloud.byHand("POST", "/domains", { domain, type, soa_email: soaEmail }))["id"]);
  const record = { domainRef: { id }, type: "A", name: "www", target: "192.0.2.7", ...protect };
  await teamB.editor.apply(teamB.object("DomainRecord", "holder", record));
  await teamB.ready("DomainRecord", "holder");
  const adopted = shop.object("Domain", "adopted", { domain, type, soaEmail, management: { adopt: { id } } });
  await shop.editor.apply(adopted);
  await shop.ready("Domain", "adopted");
  await installation.restart(["--namespace", shop.namespace]);
  const mark = cloud.mark();
  await shop.editor.remove(adopted);
  await untilAnswered(stage, adopted);
  const token = secret(shop, "cloud-token", {});
  await admin.remove(account);
  await untilAnswered(stage, account);
  expect(cloud.changes(mark)).toEqual([]);
  expect(await admin.get(token)).toBeDefined();
  for (const waiting of [adopted, account])
    expect(messagesOf(await admin.get(waiting))).toContain(`namespace ${teamB.namespace} (spec.sharing.`);

  await admin.patch(account, { spec: { sharing: null } });
  await shop.gone("Domain", "adopted");
  await shop.gone("CloudAccount", "default");
  expect(cloud.rows("domain")).toEqual([]);
  await installation.restart();
});

test("after a restart with DomainRecord disabled, a protected record still holds its zone", async () => {
  const stage = await installation.stage();
  const { shop, cloud } = stage;
  const domain = shop.object("Domain", "zone", zone(`kept-${cloud.account}.example`));
  const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.7" };
  await shop.editor.apply(domain);
  await shop.editor.apply(shop.object("DomainRecord", "holder", { ...record, ...protect }));
  await shop.ready("DomainRecord", "holder");
  await installation.restart(["--disabled-kind", "DomainRecord"]);
  await shop.editor.remove(domain);
  await untilAnswered(stage, domain);
  expect(cloud.rows("domain")).toHaveLength(1);
  expect(messagesOf(await shop.editor.get(domain))).toMatch(/DomainRecord/);
});

test("after a restart with Firewall disabled, a Firewall still holds its account and the token", async () => {
  const stage = await installation.stage();
  const { shop, cloud, admin, account, secret } = stage;
  await shop.editor.apply(shop.object("Firewall", "wall", firewall));
  await shop.ready("Firewall", "wall");
  await installation.restart(["--disabled-kind", "Firewall"]);
  const mark = cloud.mark();
  const token = secret(shop, "cloud-token", {});
  await admin.remove(token);
  await admin.remove(account);
  await untilAnswered(stage, account);
  expect(messagesOf(await admin.get(account))).toMatch(/Firewall/);
  expect(await admin.get(token)).toBeDefined();
  expect(cloud.changes(mark)).toEqual([]);

  await installation.restart();
  await shop.editor.remove(shop.object("Firewall", "wall"));
  await shop.gone("Firewall", "wall");
  expect(cloud.rows("firewall")).toEqual([]);
});
