/** The bundled operator, as the image runs it, between a control plane and the bundled simulator, each a process of its own. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKubeClient } from "../../src/cluster/client.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { KubeClient } from "../../src/cluster/types.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import type { CloudProxy } from "../../test/campaigns/support/cloud-proxy.ts";
import { resourceNamed } from "../../test/campaigns/support/fleet.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { systemClock } from "../../src/process/clock.ts";
import { bundle, nodeEnvironment, nodeFlags, simulatorNodeFlags } from "../../tools/bundle/bundle.ts";
import { cleanEnvironment } from "../../tools/demo/programs.ts";
import { startLocalCluster } from "../../tools/local-cluster.ts";
import { startGuard } from "../../tools/local-cluster/guarded.ts";
import type { Guard } from "../../tools/local-cluster/guarded.ts";
import { startProcess } from "../../tools/local-cluster/process.ts";
import type { Running } from "../../tools/local-cluster/process.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";
import type { BenchCluster } from "./made-up.ts";

export interface Bundled {
  kube: KubeClient;
  namespace: string;
  /** Of the API server. */
  server: string;
  kubeconfigPath: string;
  /** The simulator, and a token that it takes. */
  cloud: string;
  token: string;
  /** Where the bundles are. */
  folder: string;
  operator: () => OperatorProcess;
  /** `between`: what happens while it is down. */
  restart: (between?: () => Promise<void>) => Promise<void>;
  /** Starts a program that says "listening" and has counters at the port that its arguments name; it ends with the rest. */
  beside: (name: string, file: string, args: (port: string) => string[]) => Promise<OperatorProcess>;
  /** Another operator beside it, such as a shard; it ends with the rest. */
  another: (flags: string[]) => Promise<OperatorProcess>;
  /** Makes another account of the cloud, and in a new namespace the CloudAccount `default` with a token of it. */
  addAccount: (namespace: string) => Promise<{ token: string }>;
  /** Multiplies every rate limit of the cloud API. */
  scaleLimits: (scale: number) => Promise<void>;
  stop: () => Promise<void>;
}

export interface OperatorProcess {
  pid: number;
  /** Seconds of CPU so far. */
  cpuSeconds: () => number;
  residentMiB: () => number;
  /** The most since the start, or since the last `forgetPeak`. */
  peakMiB: () => number;
  forgetPeak: () => void;
  /** Of one scrape, as `Counted` says. */
  scrape: () => Promise<Counted>;
  counted: (...what: Parameters<Counted>) => Promise<number>;
}

/** The sum of all counters of this name whose labels have every one of these texts. */
export type Counted = (name: string, ...labels: string[]) => number;

interface Setting {
  guard: Guard;
  folder: string;
  kubeconfigPath: string;
  endpoint: string;
  namespace: string;
  flags: string[];
}

const token = "bench-token";
const controlToken = "bench-control";
export const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

/**
 * Starts all of them, with an account `default`. `flags`: of the operator. `before`: stands before the simulator. `cluster`: a
 * real control plane with the definitions installed, if not given.
 */
export async function startBundled(
  flags: string[] = [],
  before?: (cloud: string) => Promise<CloudProxy>,
  startCluster: () => Promise<BenchCluster> = startRealCluster,
): Promise<Bundled> {
  const cluster = await startCluster();
  const folder = join(cluster.folder, "programs");
  const guard = startGuard(folder);
  await bundle(folder);
  const port = await freePort();
  const cloud = `http://127.0.0.1:${port}`;
  const namespace = "default";
  const simulator = await startSimulator(guard, folder, port);
  const proxy = await before?.(cloud);
  const endpoint = proxy?.url ?? cloud;
  const setting: Setting = { guard, folder, kubeconfigPath: cluster.kubeconfigPath, endpoint, namespace, flags };
  const transport = createTransport({
    config: () => loadKubeConfig({ text: cluster.kubeconfig }),
    clock: systemClock,
  });
  const kube = createKubeClient(transport);
  await createAccount(kube, namespace, token);
  let operator = await startOperator(setting);
  const others: Running[] = [];
  return {
    kube,
    namespace,
    server: cluster.server,
    kubeconfigPath: cluster.kubeconfigPath,
    cloud,
    token,
    folder,
    operator: () => figuresOf(operator),
    async restart(between) {
      await operator.stop();
      await between?.();
      operator = await startOperator(setting);
    },
    async beside(name, file, args) {
      const port = String(await freePort());
      const running = await startProcess({
        name,
        command: process.execPath,
        args: [file, ...args(port)],
        guard,
        env: cleanEnvironment(process.env),
        ready: (output) => output.includes("listening"),
      });
      others.push(running);
      return figuresOf({ ...running, metrics: `http://127.0.0.1:${port}/metrics` });
    },
    async another(own) {
      const running = await startOperator({ ...setting, flags: own });
      others.push(running);
      return figuresOf(running);
    },
    async addAccount(name) {
      const own = `${token}-${name}`;
      await control(cloud, "POST", "accounts", { id: name });
      await control(cloud, "POST", "users", { account: name, user: { username: name } });
      await control(cloud, "POST", "tokens", { token: own, username: name, account: name });
      await kube.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      await createAccount(kube, name, own);
      return { token: own };
    },
    scaleLimits: (scale) => control(cloud, "PUT", "rate-limits", { scale }),
    async stop() {
      for (const other of others) await other.stop();
      await operator.stop();
      await proxy?.close();
      await simulator.stop();
      await transport.close();
      await guard.close();
      await cluster.stop();
    },
  };
}

async function startRealCluster(): Promise<BenchCluster> {
  const cluster = await startLocalCluster();
  await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
  return cluster;
}

async function createAccount(kube: KubeClient, namespace: string, token: string): Promise<void> {
  const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
  const secret = { metadata: { name: "cloud-token", namespace }, stringData: { token } };
  await kube.create(secrets, { apiVersion: "v1", kind: "Secret", ...secret });
  await kube.create(resourceOf(cloudAccount), {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "CloudAccount",
    metadata: { name: "default", namespace },
    spec: { tokenSecretRef: { name: "cloud-token" } },
  });
}

/** What benchmarks create many of: one row each, with all that a spec must have. */
export const wall = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };

export function create({ kube, namespace }: Bundled, kind: string, name: string, spec: object): Promise<unknown> {
  const object = { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata: { name, namespace }, spec };
  return kube.create(resourceNamed(kind), object);
}

/** How many objects of the kind are Ready, as the operator's metrics say. */
export function readyOf(operator: OperatorProcess, kind: string): Promise<number> {
  return operator.counted("cloudplatform_objects", `kind="${kind}"`, 'condition="Ready"', 'status="True"');
}

function startSimulator(guard: Guard, folder: string, port: number): Promise<Running> {
  const flags = ["--port", String(port), "--time-scale", "600", "--token", token, "--control-token", controlToken];
  return startProcess({
    name: "the simulator",
    command: process.execPath,
    args: [...simulatorNodeFlags, join(folder, "simulator.mjs"), ...flags],
    guard,
    env: cleanEnvironment(process.env),
    ready: (output) => output.includes("listening"),
  });
}

async function startOperator(setting: Setting): Promise<Running & { metrics: string }> {
  const { guard, folder, kubeconfigPath, endpoint, namespace, flags } = setting;
  const address = `127.0.0.1:${await freePort()}`;
  const where = ["--kubeconfig", kubeconfigPath, "--endpoint", `default=${endpoint}`, "--lease-namespace", namespace];
  const ports = ["--metrics-address", address, "--health-address", "0"];
  const lines: string[] = [];
  const running = await startProcess({
    name: "the operator",
    command: process.execPath,
    args: [...nodeFlags, join(folder, "operator.mjs"), ...where, ...ports, ...flags],
    guard,
    env: { ...cleanEnvironment(process.env), ...nodeEnvironment },
    ready: () => lines.some((line) => line.includes('"leading"')),
    // A hundred thousand objects are read before it leads.
    timeoutMs: 600_000,
    onLine: (line) => void (lines.length < 1_000 && lines.push(line)),
  });
  return { ...running, metrics: `http://${address}/metrics` };
}

async function control(cloud: string, method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${cloud}/_simulator/${path}`, {
    method,
    headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} of the simulator: ${answer.status} ${await answer.text()}`);
}

/** Linux only, where the image runs. */
export function residentMiB(pid: number): number {
  return memoryOf(pid, "VmRSS");
}

function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const [, kB] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kB) / 1024;
}

function figuresOf({ pid, metrics }: Running & { metrics: string }): OperatorProcess {
  const scrape = async (): Promise<Counted> => {
    const lines = (await (await fetch(metrics)).text()).split("\n").filter((line) => !line.startsWith("#"));
    return (name, ...labels) =>
      lines
        .filter((line) => line.split(/[ {]/, 1)[0] === name && labels.every((label) => line.includes(label)))
        .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  return {
    pid,
    cpuSeconds() {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    residentMiB: () => residentMiB(pid),
    peakMiB: () => memoryOf(pid, "VmHWM"),
    // As proc(5) says: the peak becomes what is resident now.
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, "5"),
    scrape,
    counted: async (...what) => (await scrape())(...what),
  };
}
