import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { startLocalCluster } from "../../tools/local-cluster.ts";
import type { LocalCluster } from "../../tools/local-cluster.ts";
import { createKubectl } from "../../tools/local-cluster/kubectl.ts";
import type { Kubectl } from "../../tools/local-cluster/kubectl.ts";

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

/** One request that the API server answered, from its audit log. */
export interface AuditEntry {
  verb: string;
  user: string;
  userAgent: string;
  /** Plural name, with `/status` and the like where it was a subresource. */
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
  code: number;
  /** Whether the rights of the user allow it; a request can be answered with 403 for other reasons. */
  allowed: boolean;
  at: Date;
}

export interface ControlPlane {
  server: string;
  kubeconfigPath: string;
  kubeconfig: string;
  kubectl: Kubectl;
  /** All requests so far except the control plane's own; in the order they were answered. */
  auditLog(): AuditEntry[];
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
    auditLog: () => readAuditLog(auditLogPath),
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

interface RawEntry {
  verb: string;
  user: { username: string };
  userAgent?: string;
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
  annotations?: Record<string, string>;
  stageTimestamp: string;
}

function readAuditLog(path: string | undefined): AuditEntry[] {
  if (path === undefined) throw new Error("this control plane was started without an audit log");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  // The last piece is empty, or a line that is still being written.
  return lines.slice(0, -1).map((line) => {
    const raw = JSON.parse(line) as RawEntry;
    const { resource = "", subresource, namespace, name } = raw.objectRef ?? {};
    return {
      verb: raw.verb,
      user: raw.user.username,
      userAgent: raw.userAgent ?? "",
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      namespace,
      name,
      code: raw.responseStatus?.code ?? 0,
      allowed: raw.annotations?.["authorization.k8s.io/decision"] === "allow",
      at: new Date(raw.stageTimestamp),
    };
  });
}
