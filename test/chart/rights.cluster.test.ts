import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { bundle } from "../../tools/bundle/bundle.ts";
import { must } from "../../tools/demo/install.ts";
import { readSamples } from "../../tools/demo/manifests.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { AuditEntry, OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, deploy, freePorts, restrictedNamespace } from "./installation.ts";
import { manifestsOf, only, rendered } from "./rendered.ts";
import type { Manifest } from "./rendered.ts";

let app: string;
beforeAll(async () => {
  app = mkdtempSync(join(tmpdir(), "app-"));
  await bundle(app);
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const system = "cloud-platform-system";
const team = "team-a";

interface Installation {
  what: string;
  reason: string;
  /** What is applied, with the simulator as service. */
  manifests: (cluster: OwnControlPlane, url: string) => Promise<Manifest[]>;
}

const byChart =
  (values: object): Installation["manifests"] =>
  async (_cluster, url) => {
    const all = { ...values, endpoints: { default: { url } }, ...(await freePorts()) };
    return (await rendered(all, { namespace: system })).manifests;
  };

const installations: Installation[] = [
  {
    what: "the chart, for all namespaces",
    reason: "a ClusterRole gives the rights everywhere",
    manifests: byChart({}),
  },
  {
    what: "the chart, for listed namespaces",
    reason: "Roles give them in these namespaces, and nothing in the cluster",
    manifests: byChart({ watch: { namespaces: [team, "team-b"] }, installationId: "east" }),
  },
  {
    what: "kustomize",
    reason: "its roles are the same, and its Deployment is written by hand",
    manifests: async ({ kubectl }, url) => {
      const text = await must(kubectl, ["kustomize", "deploy/default"]);
      const { metrics, probes } = await freePorts();
      const placed = text
        .replace("default=https://api.example.org", `default=${url}`)
        .replace("--metrics-address=:8080", `--metrics-address=:${metrics.port}`)
        .replace("--health-address=:8081", `--health-address=:${probes.port}`);
      return manifestsOf(placed);
    },
  },
];

test.each(installations)(
  "installed by $what, the operator's own Deployment makes all samples ready with exactly its rights: $reason",
  async ({ manifests: make }) => {
    const cluster = await startControlPlane({ auditLog: true });
    const simulator = await startSimulator({ timeScale: 600 });
    try {
      for (const name of [system, team, "team-b"]) await restrictedNamespace(cluster, name);
      const manifests = await make(cluster, simulator.url);
      expect(await applyAll(cluster, manifests)).toBe("");
      const operator = await deploy(cluster, app, only(manifests, "Deployment"));
      await runSamples(cluster, simulator.token);
      await operator.stop();
      const requests = cluster.auditLog().filter(({ user }) => user === operator.user);
      expect(requests.filter(({ code }) => code === 403)).toEqual([]);
      expect(unused(manifests, requests)).toEqual([]);
    } finally {
      await simulator.close();
      await cluster.stop();
    }
  },
);

/** Applies the samples, waits until all are ready, deletes them and waits until all are gone. */
async function runSamples(cluster: OwnControlPlane, token: string): Promise<void> {
  const samples = manifestsOf(readSamples(token));
  const ours = samples.filter(({ apiVersion }) => apiVersion.startsWith("cloudplatform.dev/"));
  const text = (some: Manifest[]): string => some.map((one) => stringify(one)).join("---\n");
  const run = (args: string[], some: Manifest[]) => must(cluster.kubectl, [...args, "-n", team, "-f", "-"], text(some));
  await run(["apply", "--server-side"], samples);
  await run(["wait", "--for=condition=Ready", "--timeout=90s"], ours);
  await run(
    ["delete", "--timeout=90s"],
    ours.filter(({ kind }) => kind !== "CloudAccount"),
  );
  await run(
    ["delete", "--timeout=30s"],
    ours.filter(({ kind }) => kind === "CloudAccount"),
  );
}

/** The rights that the roles give and that no request used, as `verb resource`. */
function unused(manifests: Manifest[], requests: AuditEntry[]): string[] {
  const used = new Set(requests.map(({ verb, resource }) => `${verb} ${resource}`));
  const roles = manifests.filter(
    ({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && !/-(viewer|editor|admin)$/.test(metadata.name),
  );
  const rules = roles.flatMap((role) => role["rules"] as { resources: string[]; verbs: string[] }[]);
  const granted = rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  return [...new Set(granted)].filter((right) => !used.has(right) && !asTheyCome.test(right));
}

/**
 * Rights whose use depends on what happens: an API server without streamed lists, or a restored one, is listed; a kind
 * is read before what cannot be undone; an event is patched when it repeats.
 */
const asTheyCome = /^(list \w+|get (cloudaccounts|domainrecords)|patch events)$/;
