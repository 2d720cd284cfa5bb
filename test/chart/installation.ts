import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { must } from "../../tools/demo/install.ts";
import { startGuard } from "../../tools/local-cluster/guarded.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";
import type { Running } from "../../tools/local-cluster/process.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { hasOwnTree, podSpecOf, runContainer } from "./container.ts";
import type { PodSpec } from "./container.ts";
import type { Manifest } from "./rendered.ts";

/** Makes a namespace in which nothing runs that does not fit the Pod Security Standard `restricted`. */
export async function restrictedNamespace({ kubectl }: OwnControlPlane, name: string): Promise<void> {
  const modes = ["enforce", "warn", "audit"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: Object.fromEntries(modes) } };
  await must(kubectl, ["apply", "-f", "-"], stringify(namespace));
}

/** Applies what a chart or kustomize made as a GitOps tool would, and answers what kubectl says against it. */
export async function applyAll({ kubectl }: OwnControlPlane, manifests: Manifest[]): Promise<string> {
  const input = manifests.map((one) => stringify(one)).join("---\n");
  const first = await kubectl(["apply", "--server-side", "-f", "-"], { input });
  await must(kubectl, ["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"]);
  return first.stderr;
}

/** Ports for the operator's two addresses, as values of the chart: the machine's own may be taken. */
export async function freePorts(): Promise<{ metrics: { port: number }; probes: { port: number } }> {
  return { metrics: { port: await freePort() }, probes: { port: await freePort() } };
}

export interface Deployed {
  running: Running;
  /** Name under which the API server knows it. */
  user: string;
  stop: () => Promise<void>;
}

/**
 * Does what a kubelet would with the Deployment: makes its pod, projects the token of its service account and its
 * volumes, and runs the container until it is ready.
 */
export async function deploy(cluster: OwnControlPlane, app: string, deployment: Manifest): Promise<Deployed> {
  const port = argumentOf(deployment, "--health-address")?.split(":")[1];
  return runPod(cluster, app, deployment, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
}

/** The same for a Job, which ends by itself; answers how it ended and what it wrote last. */
export async function runJob(cluster: OwnControlPlane, app: string, job: Manifest): Promise<string> {
  try {
    const { stop } = await runPod(cluster, app, job, () => false);
    await stop();
    return "it did not end";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Likewise the Deployment of the chart's simulator, whose output has its address. */
export async function deploySimulator(cluster: OwnControlPlane, app: string, deployment: Manifest): Promise<Deployed> {
  return runPod(cluster, app, deployment, (output) => output.includes("listening on"));
}

async function runPod(
  cluster: OwnControlPlane,
  app: string,
  workload: Manifest,
  ready: (output: string) => Promise<boolean> | boolean,
): Promise<Deployed> {
  const { name, namespace = "" } = workload.metadata;
  const { metadata, spec } = (workload["spec"] as { template: { metadata: object; spec: PodSpec } }).template;
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name, namespace }, spec };
  await must(cluster.kubectl, ["create", "-f", "-"], stringify(pod));
  const folder = mkdtempSync(join(cluster.folder, "pod-"));
  const guard = startGuard(folder);
  const end = async (): Promise<void> => {
    await must(cluster.kubectl, ["delete", "pod", name, "-n", namespace, "--force", "--grace-period=0"]);
    await guard.close();
  };
  try {
    const args = spec.containers[0]?.args ?? [];
    const account = await accountFiles(cluster, namespace, spec, name);
    const elsewhere = !hasOwnTree() && Object.keys(account).length > 0;
    const running = await runContainer({
      folder,
      app,
      args: elsewhere ? [...args, `--kubeconfig=${kubeconfigFor(cluster, folder)}`] : args,
      files: { ...account, ...(await volumeFiles(cluster, workload)) },
      env: { ...(await variables(cluster, namespace, spec)), ...serviceVariables(cluster.server) },
      guard,
      ready,
    });
    const user = `system:serviceaccount:${namespace}:${spec.serviceAccountName}`;
    return { running, user, stop: () => running.stop().then(end) };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Reads the metrics of an operator on a new connection. Without `ca` it accepts any certificate, as a ServiceMonitor can. */
export function readMetrics(port: number, token?: string, ca?: string): Promise<{ status?: number; text: string }> {
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/metrics", agent: false, headers, ...trust }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .once("error", reject)
      .end();
  });
}

/** Returns the value of a flag of a workload's first container. */
export function argumentOf(workload: Manifest, flag: string): string | undefined {
  const args = podSpecOf(workload).containers[0]?.args ?? [];
  return args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);
}

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The three files that a pod gets unless it wants none; the token is bound to the pod and made for the API server. */
async function accountFiles(
  { kubectl }: OwnControlPlane,
  namespace: string,
  { serviceAccountName, automountServiceAccountToken }: PodSpec,
  pod: string,
): Promise<Record<string, string>> {
  if (serviceAccountName === undefined || automountServiceAccountToken === false) return {};
  const bound = ["--bound-object-kind=Pod", `--bound-object-name=${pod}`, "--duration=1h"];
  const token = await must(kubectl, ["create", "token", serviceAccountName, "-n", namespace, ...bound]);
  const map = await must(kubectl, ["get", "configmap", "kube-root-ca.crt", "-n", namespace, "-o", "json"]);
  const ca = (JSON.parse(map) as { data: Record<string, string> }).data["ca.crt"] ?? "";
  return {
    [`${accountFolder}/token`]: token.trim(),
    [`${accountFolder}/ca.crt`]: ca,
    [`${accountFolder}/namespace`]: namespace,
  };
}

async function variables(cluster: OwnControlPlane, namespace: string, spec: PodSpec): Promise<NodeJS.ProcessEnv> {
  const found: NodeJS.ProcessEnv = {};
  for (const { name, value, valueFrom } of spec.containers[0]?.env ?? []) {
    const source = valueFrom?.secretKeyRef;
    found[name] = source === undefined ? value : (await dataOf(cluster, namespace, { secret: source }))[source.key];
  }
  return found;
}

/** What the projected volumes bring, by path. */
async function volumeFiles(cluster: OwnControlPlane, workload: Manifest): Promise<Record<string, string>> {
  const { namespace = "" } = workload.metadata;
  const { volumes = [], containers } = podSpecOf(workload);
  const files: Record<string, string> = {};
  for (const { name, projected } of volumes) {
    const mount = containers[0]?.volumeMounts?.find((one) => one.name === name);
    for (const source of projected.sources) {
      const data = await dataOf(cluster, namespace, source);
      for (const { key, path } of source.secret?.items ?? source.configMap?.items ?? [])
        files[`${mount?.mountPath}/${path}`] = data[key] ?? "";
    }
  }
  return files;
}

/** What is in a Secret or ConfigMap, as text. */
async function dataOf(
  { kubectl }: OwnControlPlane,
  namespace: string,
  { secret, configMap }: { secret?: { name: string }; configMap?: { name: string } },
): Promise<Record<string, string>> {
  const [kind, name] = secret === undefined ? ["configmap", configMap?.name] : ["secret", secret.name];
  const text = await must(kubectl, ["get", kind, name ?? "", "-n", namespace, "-o", "json"]);
  const { data } = JSON.parse(text) as { data: Record<string, string> };
  if (secret === undefined) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
}

function serviceVariables(server: string): NodeJS.ProcessEnv {
  const { hostname, port } = new URL(server);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
}

/** Where a process cannot have the files in a pod's place: the same token and authority, by their paths. */
function kubeconfigFor({ kubeconfig }: OwnControlPlane, folder: string): string {
  const config = parse(kubeconfig) as { users: { name: string; user: object }[] };
  for (const user of config.users) user.user = { tokenFile: join(folder, accountFolder, "token") };
  const path = join(folder, "kubeconfig");
  writeFileSync(path, stringify(config));
  return path;
}
