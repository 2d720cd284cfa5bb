import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { startLocalCluster } from "../../tools/local-cluster.ts";
import type { LocalCluster } from "../../tools/local-cluster.ts";
import { createKubectl } from "../../tools/local-cluster/kubectl.ts";
import type { Kubectl } from "../../tools/local-cluster/kubectl.ts";
import { followAuditLog } from "./audit-log.ts";
import type { AuditEntry } from "./audit-log.ts";

/** What the control plane of the whole run tells each test file. */
export interface SharedCluster {
  folder: string;
  server: string;
  kubeconfigPath: string;
  kubectlPath: string;
  auditLogPath: string;
}

declare module "vitest" {
  interface ProvidedContext {
    cluster: SharedCluster;
  }
}

export interface ControlPlane {
  server: string;
  kubeconfigPath: string;
  kubeconfig: string;
  kubectl: Kubectl;
  /**
   * The requests since this test file first asked for the control plane, except its own; in the order they were answered.
   * With `since`, those that came no earlier: a request is in the log only some time after its effect is seen, so the
   * length of the log divides nothing.
   */
  auditLog(since?: Date): AuditEntry[];
  /** Makes a service account and answers the path of a kubeconfig that uses its token. */
  addServiceAccount(namespace: string, name: string): Promise<string>;
}

/** A control plane of one's own, for tests that stop it or need it empty. */
export type OwnControlPlane = ControlPlane &
  Pick<LocalCluster, "folder" | "killApiServer" | "restartApiServer" | "withEtcdStopped" | "addUser" | "stop">;

/** Starts a control plane just for the caller, who must stop it; about three seconds. */
export async function startControlPlane(options: { auditLog?: boolean } = {}): Promise<OwnControlPlane> {
  const cluster = await startLocalCluster(options);
  return {
    ...cluster,
    ...view(cluster.kubectl, cluster.folder, cluster.server, cluster.kubeconfigPath, cluster.auditLogPath),
  };
}

/** The control plane that all test files of the run share; never stop it or count on it being empty. */
export function sharedControlPlane(): ControlPlane {
  const { folder, server, kubeconfigPath, kubectlPath, auditLogPath } = inject("cluster");
  return view(createKubectl(kubectlPath, kubeconfigPath, folder), folder, server, kubeconfigPath, auditLogPath);
}

function view(
  kubectl: Kubectl,
  folder: string,
  server: string,
  kubeconfigPath: string,
  auditLogPath: string | undefined,
): ControlPlane {
  const kubeconfig = readFileSync(kubeconfigPath, "utf8");
  return {
    server,
    kubeconfigPath,
    kubeconfig,
    kubectl,
    auditLog: followAuditLog(auditLogPath),
    async addServiceAccount(namespace, name) {
      await kubectl(["create", "serviceaccount", name, "-n", namespace]);
      const token = await kubectl(["create", "token", name, "-n", namespace, "--duration=2h"]);
      if (token.code !== 0) throw new Error(`no token for service account ${namespace}/${name}: ${token.stderr}`);
      const path = join(folder, `${namespace}-${name}.kubeconfig`);
      const user = `users:\n- name: ${name}\n  user:\n    token: ${token.stdout.trim()}\n`;
      const cluster = /certificate-authority-data: \S+/.exec(kubeconfig)?.[0] ?? "";
      writeFileSync(
        path,
        `apiVersion: v1\nkind: Config\nclusters:\n- name: local\n  cluster:\n    server: ${server}\n    ${cluster}\n${user}` +
          `contexts:\n- name: local\n  context: {cluster: local, user: ${name}, namespace: ${namespace}}\ncurrent-context: local\n`,
        { mode: 0o600 },
      );
      return path;
    },
  };
}
