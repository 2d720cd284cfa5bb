import { beforeAll, describe, expect, it } from "vitest";
import { apply } from "../../src/twin/apply.ts";
import { addAssumed } from "../../src/twin/assumed.ts";
import { resources } from "../../src/twin/definitions.ts";
import { openRun } from "../../src/twin/run.ts";
import { makePlan } from "../../src/twin/make-plan.ts";
import type { PlanOptions } from "../../src/twin/make-plan.ts";
import { failsOn, parseFailOn } from "../../src/twin/fail-on.ts";
import type { Plan, PlannedObject } from "../../src/twin/plan.ts";
import { planMarkdown } from "../../src/twin/plan-markdown.ts";
import { planText } from "../../src/twin/plan-text.ts";
import { readAccount } from "../../src/twin/read-account.ts";
import type { AccountReads } from "../../src/twin/read-account.ts";
import type { Manifest } from "../../src/twin/apply.ts";
import { fill, openAccount, start } from "./accounts.ts";

let account: AccountReads;

beforeAll(async () => {
  const opened = await openAccount();
  await fill(opened, 2);
  account = await readAccount(opened.client);
});

function manifest(kind: string, name: string, spec: object): Manifest {
  return {
    file: `${name}.yaml`,
    object: { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata: { name }, spec },
  };
}

function planOf(manifests: Manifest[], more: Partial<PlanOptions> = {}): Promise<Plan> {
  return makePlan({ account, start, existing: [], namespace: "prod", manifests, ...more });
}

function find(plan: Plan, name: string): PlannedObject | undefined {
  return plan.objects.find((one) => one.name === name);
}

function fail(kind: string): never {
  throw new Error(`no kind ${kind}`);
}

const domain = { domain: "example-0.org", type: "master", soaEmail: "bob@example.org" };
const adopted = { ...domain, management: { adopt: { filter: { domain: "example-0.org" }, overwrite: true } } };
const instance = { region: "us-east", type: "g6-standard-2", image: "compute/debian12", label: "new-web" };

describe("a plan", () => {
  it("shows the old and the new value of a change, with the field of the spec", async () => {
    const plan = await planOf([manifest("Domain", "old", adopted)]);
    expect(find(plan, "old")).toMatchObject({
      action: "change",
      operations: [{ step: 1, changes: [{ field: "soaEmail", before: "ada@example.org", after: "bob@example.org" }] }],
    });
  });

  it("shows the price of the account and of an object, before and after", async () => {
    const plan = await planOf([manifest("ComputeInstance", "web", instance)]);
    expect(find(plan, "web")?.monthly).toEqual({ before: "$0.00", after: "$24.00" });
    expect(plan.monthly).toEqual({ before: "$51.00", after: "$75.00" });
  });

  it("has the price of an Inventory after the execution", async () => {
    const manifests = [
      manifest("ComputeInstance", "web", { ...instance, backups: { enabled: true } }),
      manifest("ManagedMySQL", "db", {
        region: "us-east",
        type: "g6-standard-2",
        engine: "mysql/8.0.30",
        clusterSize: 3,
      }),
    ];
    const plan = await planOf(manifests);
    const run = await openRun({ account, start });
    for (const each of manifests) apply(run.objects, each, "prod");
    addAssumed(run);
    run.start();
    await run.rest();
    apply(run.objects, manifest("Inventory", "all", {}), "prod");
    await run.rest();
    const [inventory] = run.objects.list(resources.get("Inventory") ?? fail("Inventory"));
    expect(plan.monthly.after).toBe(inventory?.status?.["monthly"]);
    expect(plan.monthly.after).not.toBe(plan.monthly.before);
    await run.close();
  });

  it("has no value that only the execution knows", async () => {
    const firewall = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT", instanceRefs: [{ name: "web" }] };
    const plan = await planOf([manifest("ComputeInstance", "web", instance), manifest("Firewall", "wall", firewall)]);
    const [created] = find(plan, "wall")?.operations ?? [];
    expect(created?.changes.at(-1)?.after).toEqual({ computes: ["(known after apply)"] });
  });

  it("names what an object waits for", async () => {
    const record = { domainRef: { name: "absent" }, type: "A", name: "www", target: "192.0.2.4" };
    const plan = await planOf([manifest("DomainRecord", "www", record)]);
    expect(find(plan, "www")).toMatchObject({ action: "none", waits: { reason: "WaitingForReference" } });
  });

  it("names file and field of a manifest that the API server refuses", async () => {
    const plan = await planOf([manifest("Domain", "bad", { domain: "example.org", type: "other" })]);
    expect(plan.refusals).toMatchObject([{ file: "bad.yaml", field: "spec.type" }]);
    expect(plan.counts.refused).toBe(1);
  });

  it("shows a refusal of the cloud API", async () => {
    const plan = await planOf([manifest("ComputeInstance", "bad", { ...instance, type: "g6-unknown" })]);
    expect(find(plan, "bad")).toMatchObject({
      operations: [{ refused: "type: A valid plan type by that ID was not found" }],
      waits: { reason: "Refused" },
    });
  });

  it("contains no byte of a Secret", async () => {
    const canary = "Canary-in-a-Secret-1!";
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "root" }, stringData: { password: canary } };
    const plan = await planOf([
      { file: "secret.yaml", object: secret },
      manifest("ComputeInstance", "web", { ...instance, rootPasswordSecretRef: { name: "root" } }),
    ]);
    const printed = [JSON.stringify(plan), planText(plan), planMarkdown(plan)].join("\n");
    expect(find(plan, "web")?.operations[0]?.changes).toContainEqual({
      field: "rootPasswordSecretRef",
      after: "(sensitive)",
    });
    expect(printed).not.toContain(canary);
  });

  it("is the same text twice", async () => {
    const texts = await Promise.all(
      [1, 2].map(async () => JSON.stringify(await planOf([manifest("ComputeInstance", "web", instance)]))),
    );
    expect(texts[0]).toBe(texts[1]);
  });
});

describe("the outputs", () => {
  it("text has the symbols of the actions and the sum", async () => {
    const text = planText(
      await planOf([manifest("Domain", "old", adopted), manifest("ComputeInstance", "web", instance)]),
    );
    expect(text).toContain("+ ComputeInstance prod/web");
    expect(text).toContain("~ Domain prod/old");
    expect(text).toContain("Plan: 1 to create, 1 to change, 0 to replace, 0 to delete, 0 waiting, 0 refused.");
  });

  it("Markdown stays below 60,000 characters, and counts the omitted parts", async () => {
    const plan = await planOf([manifest("ComputeInstance", "web", instance)]);
    const [object] = plan.objects;
    if (!object) throw new Error("no object");
    const large = { ...plan, objects: Array.from({ length: 1_000 }, (_, n) => ({ ...object, name: `web-${n}` })) };
    const text = planMarkdown(large);
    expect(text.length).toBeLessThan(60_000);
    expect(text).toMatch(/\d+ more parts do not fit/);
  });
});

describe("--fail-on", () => {
  it.each([
    ["deletion", { counts: { delete: 1 } }, true],
    ["deletion", { disruption: [] }, false],
    ["disruption", { disruption: ["stops"] }, true],
    ["cost>74.99", {}, true],
    ["cost>75", {}, false],
  ])("%s with %o: %s", async (condition, change, fails) => {
    const plan = await planOf([manifest("ComputeInstance", "web", instance)]);
    const changed = { ...plan, ...change, counts: { ...plan.counts, ...("counts" in change ? change.counts : {}) } };
    expect(failsOn(changed as Plan, [parseFailOn(condition)])).toBe(fails);
  });

  it("names the permitted conditions", () => {
    expect(() => parseFailOn("everything")).toThrow("disruption, deletion and cost>N");
  });
});
