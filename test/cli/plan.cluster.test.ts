/**
 * A plan against a cluster contains exactly the requests that the operator sends afterwards. The control plane is our own: the accounts
 * of all simulators have one identity, so a plan on the shared one would contain the objects of all tests.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import type { Plan } from "../../src/twin/plan.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { installDefinitions } from "../support/definitions.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { folderOfTest, runCli } from "./run.ts";

let cluster: OwnControlPlane;
let world: World;
beforeAll(async () => {
  cluster = await startControlPlane();
  await installDefinitions(cluster.kubectl);
  world = await startWorld(cluster);
});
afterAll(async () => {
  await world?.stop();
  await cluster?.stop();
});

async function plan(objects: object[], ...more: string[]): Promise<{ code: number; plan: Plan; err: string }> {
  const folder = folderOfTest();
  writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
  writeFileSync(join(folder, "manifests.yaml"), objects.map((one) => stringify(one)).join("---\n"));
  const files = objects.length > 0 ? ["-f", join(folder, "manifests.yaml")] : [];
  const flags = ["--kubeconfig", join(folder, "kubeconfig"), "-n", world.namespace, "--account", "default"];
  const { code, out, err } = await runCli(["plan", ...files, ...flags, "-o", "json", ...more]);
  return { code, err, plan: out === "" ? (undefined as never) : (JSON.parse(out) as Plan) };
}

const domain = { domain: "plan.example.org", type: "master", soaEmail: "ada@example.org" };
const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };

test("the operator sends the planned requests, and no other", async () => {
  await world.apply(world.object("Domain", "zone", domain), world.object("DomainRecord", "www", record));
  await world.ready("Domain", "zone");
  await world.ready("DomainRecord", "www");
  const mark = world.simulator.control.ledger().at(-1)?.id ?? 0;
  const sent = () => world.simulator.control.ledger({ mutating: true, sinceId: mark });

  const changed = [
    world.object("Domain", "zone", { ...domain, soaEmail: "bob@example.org" }),
    world.object("DomainRecord", "www", { ...record, target: "192.0.2.2" }),
    world.object("DomainRecord", "api", { ...record, name: "api" }),
  ];
  const planned = await plan(changed);
  expect(planned.code, planned.err).toBe(2);
  expect(sent()).toEqual([]);

  await world.apply(...changed);
  await world.ready("DomainRecord", "api");
  await expect.poll(() => sent().length, { timeout: 60_000 }).toBe(3);
  const operations = planned.plan.objects.flatMap((one) => one.operations);
  expect(operations.map(({ method, path }) => `${method} /v4${path}`).toSorted()).toEqual(
    sent()
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  );
  expect((await plan(changed)).code).toBe(0);
});

test("--against cluster shows the drift of existing objects", async () => {
  await world.apply(
    world.object("Domain", "drifted", {
      ...domain,
      domain: "drift.example.org",
      management: { driftPolicy: "Report" },
    }),
  );
  const { status } = await world.ready("Domain", "drifted");
  await fetch(`${world.simulator.url}/v4/domains/${String(status?.["id"])}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${world.simulator.token}`, "content-type": "application/json" },
    body: JSON.stringify({ soa_email: "drift@example.org" }),
  });
  const { plan: found } = await plan([], "--against", "cluster");
  expect(found.objects.find(({ name }) => name === "drifted")?.drift).toContain("drift@example.org");
}, 60_000);
