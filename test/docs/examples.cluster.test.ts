/** The scenarios of `examples/` do what their guides say, on the simulator. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { bucketCertificate } from "../../src/kinds/objectstorage/bucket-certificate.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { must } from "../../tools/demo/install.ts";
import type { Manifest } from "../chart/rendered.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { clusterTest } from "../support/namespace.ts";
import { withoutRiskWarnings } from "../support/risk-warnings.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const cluster = sharedControlPlane();

let world: World;
beforeEach(async () => {
  world = await startWorld(cluster);
});
afterEach(() => world.stop());

/** Applies a kustomization; answers the objects of ours in it. */
async function applied(folder: string): Promise<{ kind: string; name: string }[]> {
  await must(cluster.kubectl, ["apply", "-k", `examples/${folder}`, "-n", world.namespace]);
  const text = await must(cluster.kubectl, ["kustomize", `examples/${folder}`]);
  return parseAllDocuments(text)
    .map((one) => one.toJS() as Manifest)
    .filter(({ apiVersion }) => apiVersion.startsWith("cloudplatform.dev/"))
    .map(({ kind, metadata: { name } }) => ({ kind, name }));
}

async function secret(name: string, data: Record<string, string>): Promise<void> {
  const literals = Object.entries(data).map(([key, value]) => `--from-literal=${key}=${value}`);
  await must(cluster.kubectl, ["create", "secret", "generic", name, "-n", world.namespace, ...literals]);
}

for (const size of ["minimal", "full"])
  clusterTest(`kinds/${size}: of each kind that people write, accepted as it is`, async ({ namespace }) => {
    const folder = `examples/kinds/${size}`;
    const others = kinds.filter(({ examples }) => examples.length > 0);
    expect(readdirSync(folder).sort()).toEqual(others.map(({ plural }) => `${plural}.yaml`).sort());
    const account = `examples/kinds/account/${size}.yaml`;
    const args = ["apply", "--dry-run=server", "-n", namespace, "-f", folder, "-f", account];
    const { code, stdout, stderr } = await cluster.kubectl(args);
    expect(withoutRiskWarnings(stderr)).toBe("");
    expect(code).toBe(0);
    for (const { kind } of [...others, cloudAccount])
      expect(stdout).toContain(`${kind.toLowerCase()}.cloudplatform.dev/`);
  });

test("web-shop: everything becomes ready, in whatever order it is applied", { timeout: 120_000 }, async () => {
  await secret("shop-files-tls", Object.values(bucketCertificate.examples[0]?.secrets ?? {})[0] ?? {});
  const objects = await applied("web-shop");
  expect(objects.length).toBeGreaterThan(8);
  for (const { kind, name } of objects) await world.ready(kind, name, 60_000);
  const firewall = await world.ready("Firewall", "shop-web");
  expect(firewall.status?.["devices"]).toHaveLength(2);
});

test(
  "nightly-snapshot: its script runs with its own permissions, and keeps the newest",
  { timeout: 240_000 },
  async () => {
    const { namespace } = world;
    await applied("nightly-snapshot");
    const place = { region: "us-east", type: "g6-standard-1" };
    await world.apply(
      world.object("ComputeInstance", "shop-web-1", {
        ...place,
        image: "compute/debian12",
        backups: { enabled: true },
      }),
      world.object("ManagedMySQL", "web-shop-db", { ...place, engine: "mysql/8.0.30" }),
    );
    await world.ready("ComputeInstance", "shop-web-1", 60_000);
    await world.ready("ManagedMySQL", "web-shop-db", 60_000);
    const folder = mkdtempSync(join(tmpdir(), "nightly-"));
    const asJob = `--as=system:serviceaccount:${namespace}:nightly-snapshot`;
    const { kubectlPath, kubeconfigPath } = inject("cluster");
    const own = `exec ${kubectlPath} --kubeconfig=${kubeconfigPath} --namespace=${namespace} ${asJob} "$@"`;
    writeFileSync(join(folder, "kubectl"), `#!/bin/sh\n${own}\n`, { mode: 0o755 });
    const env = {
      PATH: `${folder}:${process.env["PATH"]}`,
      HOME: folder,
      INSTANCE: "shop-web-1",
      DATABASE: "web-shop-db",
      KEEP: "2",
      TIMEOUT: "60s",
    };
    const names: string[] = [];
    for (let night = 0; night < 3; night += 1) {
      // It names what it makes by the second.
      const second = Math.floor(Date.now() / 1_000);
      await vi.waitUntil(() => Math.floor(Date.now() / 1_000) > second, { timeout: 5_000, interval: 20 });
      const { stdout } = await promisify(execFile)("sh", ["examples/nightly-snapshot/nightly.sh"], { env });
      names.push(/databasebackup\S*\/(\S+) created/.exec(stdout)?.[1] ?? stdout);
      const [, snapshot = ""] = /computesnapshot\S*\/(\S+) created/.exec(stdout) ?? [];
      await world.condition("ComputeSnapshot", snapshot, "Complete", "Complete", 60_000);
    }
    await world.gone("DatabaseBackup", names[0] ?? "", 60_000);
    for (const name of names.slice(1)) await world.ready("DatabaseBackup", name);
  },
);

test("dns-in-git: a zone is observed, then taken over without one changing request", { timeout: 120_000 }, async () => {
  const made = async (path: string, body: object): Promise<number> => {
    const headers = { authorization: `Bearer ${world.simulator.token}`, "content-type": "application/json" };
    const url = `${world.simulator.url}/v4${path}`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { id: number }).id;
  };
  const zone = await made("/domains", {
    domain: "git.example.org",
    type: "master",
    soa_email: "hostmaster@example.org",
  });
  await made(`/domains/${zone}/records`, { type: "A", name: "www", target: "192.0.2.10", ttl_sec: 300 });
  await made(`/domains/${zone}/records`, { type: "MX", target: "mail.example.org", priority: 10 });
  const [{ id: since } = { id: 0 }] = world.simulator.control.ledger({ mutating: true }).slice(-1);

  const observed = await applied("dns-in-git/observed");
  for (const { kind, name } of observed) {
    const object = await world.until(kind, name, (one) => conditionOf(one, "Ready")?.reason === "Observed");
    expect(conditionOf(object, "Drifted"), name).toBeUndefined();
    expect(object.status?.["observed"], name).toBeDefined();
  }
  const managed = await applied("dns-in-git/managed");
  expect(managed).toHaveLength(3);
  for (const { kind, name } of managed)
    await world.until(kind, name, (one) => conditionOf(one, "Ready")?.reason === "Ready");
  expect(world.simulator.control.ledger({ mutating: true, sinceId: since })).toEqual([]);
});
