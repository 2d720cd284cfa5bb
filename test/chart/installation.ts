import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { must } from "../../tools/demo/install.ts";
import { startGuard } from "../../tools/local-cluster/guarded.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";
import type { Running } from "../../tools/local-cluster/process.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { hasOwnTree, podSpecOf, runContainer } from "./container.ts";
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
  const { name, namespace = "" } = deployment.metadata;
  const { template } = deployment["spec"] as { template: { metadata: object; spec: { serviceAccountName: string } } };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...template.metadata, name, namespace },
    spec: template.spec,
  };
  await must(cluster.kubectl, ["create", "-f", "-"], stringify(pod));
  const { serviceAccountName } = template.spec;
  const folder = mkdtempSync(join(cluster.folder, "pod-"));
  const account = await accountFiles(cluster, { namespace, pod: name, serviceAccountName });
  const [container] = podSpecOf(deployment).containers;
  const { args = [], env = [] } = container ?? {};
  const health = args.find((arg) => arg.startsWith("--health-address="))?.split(":")[1];
  const guard = startGuard(folder);
  const running = await runContainer({
    folder,
    app,
    args: hasOwnTree() ? args : [...args, `--kubeconfig=${kubeconfigFor(cluster, folder)}`],
    files: { ...account, ...(await volumeFiles(cluster, deployment)) },
    env: { ...Object.fromEntries(env.map((one) => [one.name, one.value])), ...serviceVariables(cluster.server) },
    guard,
    ready: async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok,
  }).catch(async (error: unknown) => {
    await guard.close();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await running.stop();
    await must(cluster.kubectl, ["delete", "pod", name, "-n", namespace, "--force", "--grace-period=0"]);
    await guard.close();
  };
  return { running, user: `system:serviceaccount:${namespace}:${serviceAccountName}`, stop };
}

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The three files that every pod gets; the token is bound to the pod and made for the API server. */
async function accountFiles(
  { kubectl }: OwnControlPlane,
  { namespace, pod, serviceAccountName }: { namespace: string; pod: string; serviceAccountName: string },
): Promise<Record<string, string>> {
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

/** What the projected volumes bring, by path. */
async function volumeFiles({ kubectl }: OwnControlPlane, deployment: Manifest): Promise<Record<string, string>> {
  const { namespace = "" } = deployment.metadata;
  const { volumes = [], containers } = podSpecOf(deployment);
  const files: Record<string, string> = {};
  for (const { name, projected } of volumes) {
    const mount = containers[0]?.volumeMounts?.find((one) => one.name === name);
    for (const { secret, configMap } of projected.sources) {
      const source = secret ?? configMap;
      const kind = secret === undefined ? "configmap" : "secret";
      const text = await must(kubectl, ["get", kind, source?.name ?? "", "-n", namespace, "-o", "json"]);
      const { data } = JSON.parse(text) as { data: Record<string, string> };
      for (const { key, path } of source?.items ?? [])
        files[`${mount?.mountPath}/${path}`] = Buffer.from(
          data[key] ?? "",
          kind === "secret" ? "base64" : "utf8",
        ).toString();
    }
  }
  return files;
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
