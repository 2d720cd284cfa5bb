import { resolve } from "node:path";
import { ensureControlPlane } from "../control-plane/ensure.ts";
import { startLocalCluster } from "../local-cluster.ts";
import { createKubectl } from "../local-cluster/kubectl.ts";
import type { Kubectl } from "../local-cluster/kubectl.ts";
import { onPath } from "../run/executables.ts";
import { operatorUser } from "./manifests.ts";
import { cleanEnvironment } from "./programs.ts";
import type { Room } from "./programs.ts";

/** The cluster that the demo runs on. */
export interface DemoCluster {
  kubeconfigPath: string;
  /** What the operator connects with: in a cluster of our own as its service account, which admission rules know. */
  operatorKubeconfigPath: string;
  kubectl: Kubectl;
  /** How a person calls kubectl: its name where it is on the PATH. */
  kubectlCommand: string;
  /** Somebody else's: what the demo made there is taken back at its end. */
  foreign: boolean;
  namespace: string;
  stop(): Promise<void>;
}

/** A control plane of our own on loopback. */
export async function ownCluster(): Promise<DemoCluster> {
  const cluster = await startLocalCluster();
  const { kubeconfigPath, kubectl, binaries } = cluster;
  const kubectlCommand = onPath(["kubectl"], process.env) === undefined ? binaries.kubectl : "kubectl";
  const operatorKubeconfigPath = await cluster.addUser(operatorUser(), ["system:masters"]);
  const stop = (): Promise<void> => cluster.stop();
  return {
    kubeconfigPath,
    operatorKubeconfigPath,
    kubectl,
    kubectlCommand,
    foreign: false,
    namespace: "default",
    stop,
  };
}

/**
 * The cluster of a kubeconfig that the person named.
 *
 * @throws Error with one line when it cannot be used
 */
export async function namedCluster(path: string, room: Room): Promise<DemoCluster> {
  const kubeconfigPath = resolve(path);
  const present = onPath(["kubectl"], process.env);
  const binary = present ?? (await ensureControlPlane({ wanted: ["kubectl"] })).kubectl;
  const kubectl = createKubectl(binary, kubeconfigPath, room.folder, cleanEnvironment(process.env));
  const { code, stderr } = await kubectl(["version", "--request-timeout=10s"]);
  if (code !== 0) throw new Error(`CLUSTER=${path} cannot be used: ${stderr.trim().split("\n").at(-1)}`);
  const kubectlCommand = present === undefined ? binary : "kubectl";
  const stop = (): Promise<void> => Promise.resolve();
  const operatorKubeconfigPath = kubeconfigPath;
  const namespace = "cloud-platform-demo";
  return { kubeconfigPath, operatorKubeconfigPath, kubectl, kubectlCommand, foreign: true, namespace, stop };
}
