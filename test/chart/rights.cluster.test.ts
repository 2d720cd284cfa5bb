import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { mirrorLabel } from "../../src/core/kind/mirror.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { bundle, programs } from "../../tools/bundle/bundle.ts";
import { must } from "../../tools/demo/install.ts";
import { readSamples } from "../../tools/demo/manifests.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { AuditEntry } from "../support/audit-log.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { podSpecOf } from "./container.ts";
import { applyAll, argumentOf, deploy, freePorts, readMetrics, restrictedNamespace, runJob } from "./installation.ts";
import { manifestsOf, only, rendered } from "./rendered.ts";
import type { Manifest } from "./rendered.ts";

let app: string;
beforeAll(async () => {
  app = mkdtempSync(join(tmpdir(), "app-"));
  await bundle(
    app,
    programs.filter(({ file }) => file === "operator.mjs"),
  );
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const system = "cloud-platform-system";
const team = "team-a";

interface Installation {
  what: string;
  reason: string;
  /** What is applied, with the simulator as service. */
  make: (cluster: OwnControlPlane, url: string) => Promise<{ manifests: Manifest[]; hooks: Manifest[] }>;
}

const byChart =
  (values: object, endpoint = {}): Installation["make"] =>
  async (_cluster, url) => {
    const all = { ...values, endpoints: { default: { url, ...endpoint } }, ...(await freePorts()) };
    return rendered(all, { namespace: system });
  };

const installations: Installation[] = [
  {
    what: "the chart, for all namespaces",
    reason: "a ClusterRole gives the rights everywhere",
    make: byChart({}),
  },
  {
    what: "the chart, for listed namespaces",
    reason: "Roles give them in these namespaces, and nothing in the cluster; a volume brings an authority",
    make: byChart(
      { watch: { namespaces: [team, "team-b"] }, installationId: "east" },
      { caConfigMap: { name: "kube-root-ca.crt" } },
    ),
  },
  {
    what: "the chart, with secretAccess get",
    reason: "Secrets are neither listed nor watched",
    make: byChart({ settings: { secretAccess: "get", pollSeconds: 5 } }),
  },
  {
    what: "kustomize",
    reason: "its roles are the same, and its Deployment is written by hand",
    make: async ({ kubectl }, url) => {
      const text = await must(kubectl, ["kustomize", "deploy/default"]);
      const { metrics, probes } = await freePorts();
      const placed = text
        .replace("--metrics-address=:8080", `--metrics-address=:${metrics.port}`)
        .replace("--health-address=:8081", `--health-address=:${probes.port}`);
      const manifests = manifestsOf(placed);
      // As `kubectl set env` does.
      const [operator] = podSpecOf(only(manifests, "Deployment")).containers;
      if (operator) operator.env = [{ name: "CLOUD_PLATFORM_ENDPOINT", value: `default=${url}` }];
      return { manifests, hooks: [] };
    },
  },
];

test.each(installations)(
  "installed by $what, the operator's own Deployment makes all samples ready with exactly its rights: $reason",
  // Each case starts a control plane, and takes 90 seconds beside other tests.
  { timeout: 300_000 },
  async ({ make }) => {
    const cluster = await startControlPlane({ auditLog: true });
    const simulator = await startSimulator({ timeScale: 600 });
    try {
      for (const name of [system, team, "team-b"]) await restrictedNamespace(cluster, name);
      const { manifests, hooks } = await make(cluster, simulator.url);
      expect(await applyAll(cluster, [...manifests, ...hooks])).toBe("");
      const operator = await deploy(cluster, app, only(manifests, "Deployment"));
      await scrape(cluster, manifests);
      const guards = hooks.filter(({ kind }) => kind === "Job");
      await makeSamples(cluster, simulator.token);
      await renameConnectionSecret(cluster);
      await disturbCatalogs(cluster, manifests);
      await makeOthers(cluster);
      for (const job of guards) expect(await runJob(cluster, app, job)).toMatch(refusal);
      await deleteSamples(cluster, simulator.token);
      for (const job of guards) expect(await runJob(cluster, app, job)).toMatch(/^the container ended \(exit code 0\)/);
      await deleteNamespace(cluster, simulator.token, operator.user);
      await operator.stop();
      const requests = cluster.auditLog().filter(({ user }) => user === operator.user);
      expect(requests.filter(({ allowed }) => !allowed)).toEqual([]);
      expect(unused(manifests, requests)).toEqual([]);
    } finally {
      await simulator.close();
      await cluster.stop();
    }
  },
);

/** Reads the metrics with the token of a service account that is bound to the installed role for readers, and without one. */
async function scrape({ kubectl }: OwnControlPlane, manifests: Manifest[]): Promise<void> {
  const port = Number(argumentOf(only(manifests, "Deployment"), "--metrics-address")?.split(":")[1]);
  const reader = manifests.find(({ kind, metadata }) => kind === "ClusterRole" && isReader(metadata.name));
  await must(kubectl, ["create", "serviceaccount", "prometheus", "-n", system]);
  const role = [`--clusterrole=${reader?.metadata.name}`, `--serviceaccount=${system}:prometheus`];
  await must(kubectl, ["create", "clusterrolebinding", "prometheus-reads", ...role]);
  const token = (await must(kubectl, ["create", "token", "prometheus", "-n", system])).trim();
  expect(await readMetrics(port)).toMatchObject({ status: 401 });
  expect(await readMetrics(port, token)).toMatchObject({ status: 200 });
}

const isReader = (role: string): boolean => role.endsWith("-metrics-reader");

/** What the uninstall guard says while there are samples. */
const refusal = /ended \(exit code 1\):[^]*computeinstance\/web-1 in team-a[^]*spec\.management\.deletionPolicy/;

const ofAccounts = ({ kind }: Manifest): boolean => kind === "CloudAccount";
const ofRecords = ({ kind }: Manifest): boolean => kind === "DomainRecord";

/** Applies the samples and waits until all are ready. */
async function makeSamples(cluster: OwnControlPlane, token: string): Promise<void> {
  await onSamples(cluster, ["apply", "--server-side"], manifestsOf(readSamples(token)));
  await onSamples(cluster, ["wait", "--for=condition=Ready", "--timeout=180s"], oursOf(token));
}

const apiVersion = "cloudplatform.dev/v1alpha1";
const instanceRef = { name: "web-1" };

/** Of each shape one kind that has no sample. */
const others = [
  { kind: "ComputeDisk", spec: { instanceRef, sizeMB: 1024 } },
  { kind: "ComputeAction", spec: { instanceRef, action: "Reboot" } },
  // The name that the cloud gives to the first address.
  {
    kind: "ReverseDNS",
    spec: {
      addressRef: { kind: "ComputeInstance", ...instanceRef, address: "Public" },
      hostname: "198-18-0-2.ip.example.com",
    },
  },
  {
    kind: "BucketObject",
    spec: {
      bucketRef: { name: "media" },
      objectKey: "ca.crt",
      contentConfigMapRef: { name: "kube-root-ca.crt", key: "ca.crt" },
    },
  },
].map(({ kind, spec }) => ({ apiVersion, kind, metadata: { name: "other", namespace: team }, spec }));

/** Each is reconciled, and deleted, one after the other, since a disk waits for an action; an action that says so is deleted by the operator. */
async function makeOthers({ kubectl }: OwnControlPlane): Promise<void> {
  for (const one of others) {
    await must(kubectl, ["apply", "-f", "-"], stringify(one));
    const other = [`${one.kind.toLowerCase()}/other`, "-n", team];
    await must(kubectl, ["wait", ...other, "--for=jsonpath={.status.observedGeneration}=1", "--timeout=30s"]);
    await must(kubectl, ["delete", ...other, "--timeout=30s"]);
  }
  const spec = { instanceRef, action: "Reboot", ttlSecondsAfterFinished: 0 };
  const ended = stringify({ apiVersion, kind: "ComputeAction", metadata: { name: "ended", namespace: team }, spec });
  await must(kubectl, ["create", "-f", "-"], ended);
  await must(kubectl, ["wait", "-f", "-", "--for=delete", "--timeout=60s"], ended);
}

/** Where catalogs are kept: of each one object loses its label, and one is there that the cloud does not list. */
async function disturbCatalogs({ kubectl }: OwnControlPlane, manifests: Manifest[]): Promise<void> {
  if (!manifests.some(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "cloud-platform-operator"))
    return;
  const firsts = await vi.waitFor(
    async () => {
      const names = (await must(kubectl, ["get", "cloudcatalogs", "-o", "name"])).trim().split("\n");
      const byKind = Map.groupBy(names, (name) => name.split("/")[0]);
      expect(byKind.size).toBe(mirrors.length);
      return [...byKind.values()].flatMap(([first = ""]) => first);
    },
    { timeout: 60_000, interval: 500 },
  );
  const metadata = { name: "left-over", labels: mirrorLabel };
  const leftOver = mirrors.map(({ kind }) => stringify({ apiVersion, kind, metadata })).join("---\n");
  await must(kubectl, ["label", ...firsts, "app.kubernetes.io/managed-by-"]);
  await must(kubectl, ["create", "-f", "-"], leftOver);
  await must(kubectl, ["wait", "-f", "-", "--for=delete", "--timeout=30s"], leftOver);
  const labelled = String.raw`--for=jsonpath={.metadata.labels.app\.kubernetes\.io/managed-by}=cloud-platform-operator`;
  await must(kubectl, ["wait", ...firsts, labelled, "--timeout=30s"]);
}

/** …and the former one is deleted. */
async function renameConnectionSecret({ kubectl }: OwnControlPlane): Promise<void> {
  const spec = JSON.stringify({ spec: { connectionSecretName: "shop-database" } });
  await must(kubectl, ["patch", "managedmysql", "shop-db", "-n", team, "--type=merge", "-p", spec]);
  await must(kubectl, ["wait", "--for=delete", "secret/shop-db-connection", "-n", team, "--timeout=30s"]);
}

/** Deletes them, the records before the domain that takes them along, and waits until all are gone. */
async function deleteSamples(cluster: OwnControlPlane, token: string): Promise<void> {
  const [records, others] = [ofRecords, (one: Manifest) => !ofRecords(one) && !ofAccounts(one)];
  for (const which of [records, others, ofAccounts])
    await onSamples(cluster, ["delete", "--timeout=180s"], oursOf(token).filter(which));
}

/**
 * Deletes the token, and when the operator has looked whether the namespace goes too, the whole namespace: token and
 * rights are held until the object in it is gone.
 */
async function deleteNamespace(cluster: OwnControlPlane, token: string, operator: string): Promise<void> {
  const few = manifestsOf(readSamples(token)).filter(({ kind }) => ["Secret", "CloudAccount", "SSHKey"].includes(kind));
  await onSamples(cluster, ["apply", "--server-side"], few);
  const keys = few.filter(({ kind }) => kind === "SSHKey");
  await onSamples(cluster, ["wait", "--for=condition=Ready", "--timeout=30s"], keys);
  await must(cluster.kubectl, ["delete", "secret", "cloud-token", "-n", team, "--wait=false"]);
  const looked = ({ user, resource, name }: AuditEntry) =>
    user === operator && resource === "namespaces" && name === team;
  await vi.waitFor(() => expect(cluster.auditLog().some(looked)).toBe(true), { timeout: 20_000, interval: 200 });
  await must(cluster.kubectl, ["delete", "namespace", team, "--timeout=60s"]);
}

const oursOf = (token: string): Manifest[] =>
  manifestsOf(readSamples(token)).filter(({ apiVersion }) => apiVersion.startsWith("cloudplatform.dev/"));

function onSamples({ kubectl }: OwnControlPlane, args: string[], samples: Manifest[]): Promise<string> {
  return must(kubectl, [...args, "-n", team, "-f", "-"], samples.map((one) => stringify(one)).join("---\n"));
}

/** The rights that the roles give and that no request used, as `verb resource`. */
function unused(manifests: Manifest[], requests: AuditEntry[]): string[] {
  const used = new Set(requests.map(({ verb, resource }) => `${verb} ${resource}`));
  const roles = manifests.filter(
    ({ kind, metadata }) =>
      /^(Cluster)?Role$/.test(kind) && !/-(viewer|editor|admin)$/.test(metadata.name) && !isReader(metadata.name),
  );
  const rules = roles.flatMap((role) => role["rules"] as { resources: string[]; verbs: string[] }[]);
  const granted = rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  return [...new Set(granted)].filter((right) => !used.has(right) && !asTheyCome.test(right) && !unmade(right));
}

/** One rule gives the rights to all kinds alike: those of which no object is made here prove nothing. */
function unmade(right: string): boolean {
  const made = new Set([...others, ...oursOf("any")].map(({ kind }) => kind));
  const resource = /^\w+ (\w+)/.exec(right)?.[1];
  return kinds.some(({ kind, plural }) => plural === resource && !made.has(kind));
}

/**
 * Rights whose use depends on what happens: an API server without streamed lists, or a restored one, is listed; a kind
 * is read before what cannot be undone; a setting that stays when its object goes needs no finalizer; an event is patched when it
 * repeats.
 */
const asTheyCome = new RegExp(
  `^(list \\w+|get (cloudaccounts|domainrecords|reversedns|${mirrors.map(({ plural }) => plural).join("|")})|patch (events|profilepreferences)|get profilepreferences)$`,
);
