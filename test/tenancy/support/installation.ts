import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { must } from "../../../tools/demo/install.ts";
import { freePort } from "../../../tools/local-cluster/servers.ts";
import { createProcesses } from "../../campaigns/support/processes.ts";
import type { OperatorProcess } from "../../campaigns/support/processes.ts";
import { podSpecOf } from "../../chart/container.ts";
import type { Manifest } from "../../chart/rendered.ts";
import { startControlPlane } from "../../support/control-plane.ts";
import type { OwnControlPlane } from "../../support/control-plane.ts";
import { root } from "../../support/sources.ts";
import { waits } from "../../support/world.ts";
import { kubeconfigOf, openActor, tokenOf } from "./actor.ts";
import type { Actor } from "./actor.ts";
import { setStage } from "./stage.ts";
import type { Stage } from "./stage.ts";
import { startWatchProxy } from "./watch-proxy.ts";
import type { WatchProxy } from "./watch-proxy.ts";

/** Namespace in which `deploy/default` installs the operator. */
export const system = "cloud-platform-system";

/**
 * A real API server with the objects of `deploy/default`, a simulator, and the operator as a process. The operator
 * manages every namespace, with the token and the permissions of the ServiceAccount of `deploy/rbac`.
 */
export interface Installation {
  cluster: OwnControlPlane;
  simulator: Simulator;
  /** Cluster administrator. */
  admin: Actor;
  operator: () => OperatorProcess;
  /** Port of `/metrics` on 127.0.0.1. */
  metricsPort: number;
  /** Connects the operator to the API server. */
  proxy: WatchProxy;
  /** Stops the operator, does the work, and starts a process with more arguments. Resolves when the new process leads. */
  restart: (more?: string[], work?: () => Promise<void>) => Promise<void>;
  /** Waits for objects of any namespace. */
  waits: (namespace: string) => ReturnType<typeof waits>;
  /** Makes three fresh namespaces and a fresh account of the cloud. */
  stage: () => Promise<Stage>;
  stop: () => Promise<void>;
}

/** Starts API server, simulator and operator; about ten seconds. The caller stops the installation. */
export async function startInstallation(): Promise<Installation> {
  const [cluster, simulator] = await Promise.all([startControlPlane(), startSimulator({ timeScale: 600 })]);
  const admin = openActor(cluster.kubeconfig);
  const processes = createProcesses();
  const authority = authorityOf(cluster.kubeconfig);
  const proxy = await startWatchProxy(cluster.server, Buffer.from(authority, "base64").toString());
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    await processes.close();
    await Promise.all(closing.map((close) => close()));
    await Promise.all([admin.close(), proxy.close(), simulator.close()]);
    await cluster.stop();
  };
  try {
    await install(cluster);
    const metricsPort = await freePort();
    const kubeconfigPath = join(cluster.folder, "operator.kubeconfig");
    const token = await tokenOf(admin, system, "cloud-platform-operator");
    writeFileSync(kubeconfigPath, kubeconfigOf(proxy.url, proxy.authority, token), { mode: 0o600 });
    const args = operatorArgs({ kubeconfigPath, cloud: simulator.url, metricsPort });
    let [operator] = await Promise.all([processes.operator(args), untilEnforced(admin)]);
    return {
      cluster,
      simulator,
      admin,
      operator: () => operator,
      metricsPort,
      proxy,
      waits: (namespace) => waits(admin.kube, namespace),
      async restart(more = [], work) {
        await operator.stop();
        await work?.();
        operator = await processes.operator([...args, ...more]);
      },
      async stage() {
        const stage = await setStage({ admin, simulator, server: cluster.server, authority });
        closing.push(() => stage.close());
        return stage;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function authorityOf(kubeconfig: string): string {
  const { clusters } = parse(kubeconfig) as { clusters: { cluster: Record<string, string> }[] };
  return clusters[0]?.cluster["certificate-authority-data"] ?? "";
}

/** Applies `deploy/default`: definitions, roles and admission policies. The control plane has no kubelet, so no pod starts. */
async function install({ kubectl }: OwnControlPlane): Promise<void> {
  await must(kubectl, ["apply", "-f", join(root, "deploy/manager/namespace.yaml")]);
  await must(kubectl, ["apply", "--server-side", "-k", join(root, "deploy/default")]);
  await must(kubectl, ["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"]);
}

/** Arguments of the installed Deployment, with free ports, and short polls and windows. */
function operatorArgs(options: { kubeconfigPath: string; cloud: string; metricsPort: number }): string[] {
  const deployment = parse(readFileSync(join(root, "deploy/manager/deployment.yaml"), "utf8")) as Manifest;
  const installed = podSpecOf(deployment).containers[0]?.args ?? [];
  const kept = installed.filter((arg) => arg.startsWith("--") && !/^--(metrics|health)-address=/.test(arg));
  return [
    ...kept,
    ["--kubeconfig", options.kubeconfigPath],
    ["--lease-namespace", system],
    ["--endpoint", `default=${options.cloud}`],
    ["--metrics-address", `127.0.0.1:${options.metricsPort}`],
    ["--health-address", "0"],
    ["--poll-seconds", "5"],
    ["--fast-poll-seconds", "1"],
    ["--settle-seconds", "2"],
    ["--settle-billable-seconds", "3"],
  ].flat();
}

/** Refuses the ConfigMap `probe`, for `untilEnforced`. */
const probe = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "zz-probe.example.org" },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    },
    validations: [{ expression: "object.metadata.name != 'probe'", message: "policies are enforced" }],
  },
};

const binding = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: "zz-probe.example.org" },
  spec: { policyName: "zz-probe.example.org", validationActions: ["Deny"] },
};

/**
 * Waits until the API server enforces the installed policies. The API server reads policies in the order of creation, so
 * a refusal by the newest policy proves the enforcement of the older policies.
 */
async function untilEnforced(admin: Actor): Promise<void> {
  const resourceFor = (kind: string) => ({
    group: "admissionregistration.k8s.io",
    version: "v1",
    plural: kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : "validatingadmissionpolicybindings",
    kind,
    namespaced: false,
  });
  for (const object of [probe, binding]) await admin.kube.create(resourceFor(object.kind), object);
  const configMaps = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
  const asked = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "probe", namespace: "default" } };
  const end = Date.now() + 30_000;
  for (;;) {
    const said = await admin.kube.create(configMaps, asked, { dryRun: true }).then(String, String);
    if (said.includes("policies are enforced")) return;
    if (Date.now() > end) throw new Error(`the API server does not enforce admission policies: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
