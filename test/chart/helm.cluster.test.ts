import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { must } from "../../tools/demo/install.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { chart, helm } from "./rendered.ts";
import type { Result } from "./rendered.ts";

/** What the real helm does on a real API server. Nothing runs there, so that nothing is waited for, and hooks are left out. */
let cluster: OwnControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane();
  for (const name of ["team-a", "team-b"]) await must(cluster.kubectl, ["create", "namespace", name]);
});
afterAll(() => cluster.stop());

beforeEach(async () => {
  const { stdout } = await helm(["list", "--all-namespaces", "--output", "json"], cluster);
  for (const { name, namespace } of JSON.parse(stdout) as { name: string; namespace: string }[])
    await run(["uninstall", name, "--namespace", namespace, "--no-hooks"]);
});

const endpoints = { default: { url: "https://api.example.org" } };
const shard = (...namespaces: string[]) => ({ endpoints, installationId: "east", watch: { namespaces } });
const shared = { crds: { enabled: true } };
/** Without what a cluster has once: most tests are about the rest, and forty definitions take helm longer than all of it. */
const further = { crds: { enabled: false } };

function run(args: string[], values?: object): Promise<Result> {
  return helm(args, { kubeconfigPath: cluster.kubeconfigPath, ...(values && { values }) });
}

/** Installs or upgrades; answers what helm says against it, empty when all is well. */
async function install(
  release: string,
  values: object,
  { from = chart, flags = [] }: { from?: string; flags?: string[] } = {},
): Promise<string> {
  const where = ["--namespace", `${release}-system`, "--create-namespace", ...flags];
  const { code, stderr } = await run(["upgrade", "--install", release, from, ...where], values);
  return code === 0 ? "" : stderr;
}

test("installs, upgrades and uninstalls, and leaves definitions and objects in the cluster", async () => {
  expect(await install("one", { endpoints })).toBe("");
  expect(await install("one", { endpoints, replicas: 2 })).toBe("");
  const account = { apiVersion: "cloudplatform.dev/v1alpha1", kind: "CloudAccount", metadata: { name: "kept" } };
  const spec = { tokenSecretRef: { name: "cloud-token" } };
  await must(cluster.kubectl, ["apply", "-n", "team-a", "-f", "-"], stringify({ ...account, spec }));
  const gone = await run(["uninstall", "one", "--namespace", "one-system", "--no-hooks"]);
  expect(gone.code).toBe(0);
  await must(cluster.kubectl, ["get", "cloudaccount", "kept", "-n", "team-a"]);
  const left = await must(cluster.kubectl, ["get", "clusterrole", "-o", "name"]);
  expect(left).not.toContain("cloud-platform-operator");
});

const outcomes = [
  {
    outcome: "Failed",
    code: 1,
    left: "deployment.apps/one-cloud-platform-operator",
    reason: "objects need the operator",
  },
  { outcome: "Complete", code: 0, left: "", reason: "nothing needs it any more" },
];

test.each(outcomes)(
  "helm uninstall waits for the guard, which says $outcome: $reason",
  async ({ outcome, code, left }) => {
    expect(await install("one", { endpoints, ...further })).toBe("");
    const uninstalling = run(["uninstall", "one", "--namespace", "one-system", "--timeout", "60s"]);
    await vi.waitFor(() => endJob("one-cloud-platform-operator-guard", outcome), { timeout: 30_000, interval: 200 });
    expect((await uninstalling).code).toBe(code);
    const deployments = await must(cluster.kubectl, ["get", "deployments", "-n", "one-system", "-o", "name"]);
    expect(deployments.trim()).toBe(left);
  },
);

/** Ends a Job as its controller would, which does not run here. */
async function endJob(name: string, outcome: string): Promise<void> {
  const at = new Date().toISOString();
  const condition = (type: string) => ({ type, status: "True", reason: "Test", message: "", lastTransitionTime: at });
  const status =
    outcome === "Failed"
      ? { startTime: at, failed: 1, conditions: [condition("FailureTarget"), condition("Failed")] }
      : {
          startTime: at,
          completionTime: at,
          succeeded: 1,
          conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
        };
  const patch = ["patch", "job", name, "-n", "one-system", "--subresource=status", "--type=merge"];
  await must(cluster.kubectl, [...patch, "-p", JSON.stringify({ status })]);
}

const pairs = [
  {
    first: { endpoints, ...further },
    second: { endpoints, ...further },
    says: "the release one in the namespace one-system manages all namespaces already",
    reason: "both would manage everything",
  },
  {
    first: { endpoints, ...further },
    second: { ...shard("team-a"), ...further },
    says: "the release one in the namespace one-system manages all namespaces already",
    reason: "the first manages the second's namespace too",
  },
  {
    first: { ...shard("team-a"), ...further },
    second: { endpoints, ...further },
    says: "the release one in the namespace one-system manages the namespace team-a already",
    reason: "the second would manage the first's namespace too",
  },
  {
    first: { ...shard("team-a"), ...further },
    second: { ...shard("team-b", "team-a"), ...further },
    says: "the release one in the namespace one-system manages the namespace team-a already",
    reason: "one namespace is in both",
  },
  {
    first: { endpoints, ...further },
    second: { endpoints, ...further, checks: { otherReleases: false } },
    says: 'ClusterRole "cloud-platform-operator" in namespace "" exists and cannot be imported',
    reason: "without a look into the cluster, the role that both want is in the way",
  },
  {
    first: { ...shard("team-a"), ...further },
    second: { ...shard("team-a"), ...further, checks: { otherReleases: false } },
    says: 'Role "cloud-platform-operator" in namespace "team-a" exists and cannot be imported',
    reason: "likewise in a namespace",
  },
  {
    first: shard("team-a"),
    second: { ...shard("team-b"), ...shared },
    says: "exists and cannot be imported into the current release",
    reason: "what exists once in a cluster comes with one release",
  },
];

test.each(pairs)("a second release is refused: $reason", async ({ first, second, says }) => {
  expect(await install("one", first)).toBe("");
  expect(await install("two", second)).toContain(says);
});

test("releases with namespaces of their own live side by side, each with its own lease", async () => {
  expect(await install("one", { ...shard("team-a"), ...further })).toBe("");
  expect(await install("two", { ...shard("team-b"), ...further })).toBe("");
  expect(await install("one", { ...shard("team-a"), ...further })).toBe("");
  const deployments = await must(cluster.kubectl, ["get", "deployments", "-A", "-o", "yaml"]);
  const leases = [...deployments.matchAll(/--lease-name=(\S+)/g)].map(([, name]) => name);
  expect(leases).toEqual(["one-cloud-platform-operator", "two-cloud-platform-operator"]);
});

test("a newer chart's definitions keep stored objects readable, and an older chart does not take them back unless told to", async () => {
  expect(await install("one", { endpoints })).toBe("");
  const newer = newerChart();
  expect(await install("one", { endpoints }, { from: newer })).toBe("");
  const key = { apiVersion: "cloudplatform.dev/v1alpha1", kind: "SSHKey", metadata: { name: "laptop" } };
  const spec = {
    sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBbBJGnZt1hAEAkjgLQHlS7VXKUBa0lzOL4lnyLBSJZn x",
    notes: "some",
  };
  await must(cluster.kubectl, ["apply", "-n", "team-a", "-f", "-"], stringify({ ...key, spec }));
  const older = await install("one", { endpoints });
  expect(older).toMatch(/crds: this chart brings the definitions of [\d.]+, and the cluster has those of 99\.0\.0/);
  const back = await run(["rollback", "one", "--namespace", "one-system"]);
  expect(back.stderr).toContain("these definitions are older than the definitions in the cluster");
  expect(await stored("laptop")).toHaveProperty("spec.notes", "some");
  expect(await install("one", { endpoints, crds: { allowDowngrade: true } })).toBe("");
  expect(await stored("laptop")).not.toHaveProperty("spec.notes");
});

test("a release of another name takes over what an earlier one left, when it is told to", async () => {
  expect(await install("one", { endpoints })).toBe("");
  await run(["uninstall", "one", "--namespace", "one-system", "--no-hooks"]);
  expect(await install("two", { endpoints })).toContain('must equal "two": current value is "one"');
  expect(await install("two", { endpoints }, { flags: ["--take-ownership"] })).toBe("");
});

/** The chart as a later version might be, with one more field. */
function newerChart(): string {
  const folder = mkdtempSync(join(cluster.folder, "chart-"));
  cpSync(chart, folder, { recursive: true });
  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), "utf8")));
  edit("Chart.yaml", (text) => text.replaceAll(/ersion: 0\.1\.0/g, "ersion: 99.0.0"));
  edit("templates/crds/sshkeys.yaml", (text) =>
    text.replace(/^( +)sshKey:\n/m, "$1notes: {type: string, maxLength: 10}\n$&"),
  );
  return folder;
}

async function stored(name: string): Promise<object> {
  return JSON.parse(await must(cluster.kubectl, ["get", "sshkey", name, "-n", "team-a", "-o", "json"])) as object;
}

/** The last ones: they leave definitions that are of no release. */
describe("an installation of kustomize", () => {
  const setEndpoint = guideOf("docs/install.md", "## Without Helm", "`make install.yaml`")[1] ?? [];

  test("keeps its endpoint through the upgrade of the guide", async () => {
    const upgrade = ["apply", "--server-side", "-k", "deploy/default"];
    await must(cluster.kubectl, [...upgrade, "--force-conflicts"]);
    await must(cluster.kubectl, setEndpoint.slice(1));
    await must(cluster.kubectl, upgrade);
    await must(cluster.kubectl, [...upgrade, "--force-conflicts"]);
    const env = "jsonpath={.spec.template.spec.containers[*].env}";
    const deployment = ["-n", "cloud-platform-system", "deployment/cloud-platform-operator"];
    expect(JSON.parse(await must(cluster.kubectl, ["get", ...deployment, "-o", env]))).toEqual([
      { name: "CLOUD_PLATFORM_ENDPOINT", value: "default=https://api.example.org" },
    ]);
  });

  test("becomes a release, and back, by the commands of the guide, and each is the only owner then", async () => {
    const commands = guideOf("docs/upgrade-and-uninstall.md", "## From kustomize to Helm", "## Downgrade");
    const programs = ["kubectl", "kubectl", "helm", "helm", "kubectl", "helm", "kubectl", "kubectl", "kubectl"];
    expect(commands.map(([program]) => program)).toEqual(programs);
    await must(cluster.kubectl, ["apply", "--server-side", "--force-conflicts", "-k", "deploy/default"]);
    const definitions = await ids();
    const set = ["--set", "endpoints.default.url=https://x.org"];
    const refused = await run(["install", "x", chart, "--namespace", "x", ...set]);
    expect(refused.stderr).toContain("to take over what kustomize installed, see docs/upgrade-and-uninstall.md");
    for (const command of commands.slice(0, 5)) await carryOut(command);
    expect(await owners()).toEqual({ managers: ["helm"], helmed: true });
    for (const command of commands.slice(5)) await carryOut(command);
    expect(await owners()).toEqual({ managers: ["kubectl", "kubectl-set"], helmed: false });
    expect(await ids()).toEqual(definitions);
    await must(cluster.kubectl, ["delete", "-k", "deploy/manager"]);
    await must(cluster.kubectl, ["delete", "-k", "deploy/rbac", "--ignore-not-found"]);
  });
});

/** The commands between two texts of a guide, as words. */
function guideOf(path: string, from: string, to: string): string[][] {
  const guide = readFileSync(path, "utf8");
  const start = guide.indexOf(from);
  const section = guide.slice(start, guide.indexOf(to, start));
  return [...section.matchAll(/^```\n([\s\S]*?)^```$/gm)]
    .flatMap(([, text = ""]) => text.replaceAll("\\\n", " ").trim().split("\n"))
    .map((line) => line.trim().split(/\s+/));
}

async function carryOut([program, ...args]: string[]): Promise<void> {
  if (program === "helm") {
    expect((await run(args)).stderr).not.toContain("Error");
    return;
  }
  const pipe = args.indexOf("|");
  const [first, second] = pipe < 0 ? [args] : [args.slice(0, pipe), args.slice(pipe + 2)];
  const shown = await must(cluster.kubectl, first);
  if (second) await must(cluster.kubectl, second, shown);
}

async function ids(): Promise<string[]> {
  const text = await must(cluster.kubectl, ["get", "crd", "-o", "jsonpath={.items[*].metadata.uid}"]);
  return text.split(" ");
}

/** Who owns fields of what is installed, besides the control plane; and whether it says that it is Helm's. */
async function owners(): Promise<{ managers: string[]; helmed: boolean }> {
  const of = ["get", "-k", "deploy/default", "--ignore-not-found", "-o", "json", "--show-managed-fields"];
  const { items } = JSON.parse(await must(cluster.kubectl, of)) as { items: KubeObject[] };
  const installed = items.filter(({ kind }) => kind !== "Namespace");
  const managers = installed.flatMap(({ metadata }) => {
    const { managedFields = [] } = metadata as { managedFields?: { manager: string; subresource?: string }[] };
    return managedFields.flatMap(({ manager, subresource }) => (subresource === undefined ? [manager] : []));
  });
  const marks = installed.map(({ metadata: { labels, annotations } }) => JSON.stringify([labels, annotations]));
  return { managers: [...new Set(managers)].toSorted(), helmed: marks.some((text) => /helm/i.test(text)) };
}
