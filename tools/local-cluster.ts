/**
 * A Kubernetes control plane on loopback ports: etcd, kube-apiserver and kube-controller-manager as child processes.
 *
 * The demo and the tests share it. Everything it starts, and its folder, are gone after `stop()`, and also when this
 * process is killed. May import nothing of src/.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureControlPlane } from "./control-plane/ensure.ts";
import type { Binaries } from "./control-plane/versions.ts";
import { createCredentials } from "./local-cluster/credentials.ts";
import { startGuard } from "./local-cluster/guarded.ts";
import { createKubectl } from "./local-cluster/kubectl.ts";
import type { Kubectl } from "./local-cluster/kubectl.ts";
import type { Running } from "./local-cluster/process.ts";
import { onFreePort, startApiServer, startControllerManager, startEtcd } from "./local-cluster/servers.ts";
import type { Setting } from "./local-cluster/servers.ts";

export interface LocalCluster {
  /** The cluster's own folder; whatever is put there goes with it. */
  folder: string;
  server: string;
  kubeconfigPath: string;
  kubeconfig: string;
  binaries: Binaries;
  kubectl: Kubectl;
  /** Where the audit log is written, if it was asked for. */
  auditLogPath: string | undefined;
  /** Ends the API server as a crash would. */
  apiServerPid(): number;
  killApiServer(): Promise<void>;
  /** Starts it again with the same address, certificates and data; resolves when it is ready. */
  restartApiServer(): Promise<void>;
  /** Ends API server and etcd, hands etcd's data folder to `work`, and starts both again. */
  withEtcdStopped(work: (dataFolder: string) => void): Promise<void>;
  /** Kubeconfig file of a new user by client certificate; without groups it may do nothing until RBAC says so. */
  addUser(user: string, groups?: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a control plane; about four seconds once the programs are there. */
export async function startLocalCluster(
  options: { auditLog?: boolean; binaries?: Binaries } = {},
): Promise<LocalCluster> {
  const binaries = options.binaries ?? (await ensureControlPlane());
  const folder = mkdtempSync(join(tmpdir(), "local-cluster-"));
  const guard = startGuard(folder);
  const started: Running[] = [];
  const stop = async (): Promise<void> => {
    for (const running of started.splice(0).toReversed()) await running.stop();
    await guard.close();
  };
  try {
    const setting: Setting = { binaries, folder, guard, credentials: await createCredentials(folder) };
    return { ...(await startServers(setting, started, options.auditLog ?? false)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServers(setting: Setting, started: Running[], audit: boolean): Promise<Omit<LocalCluster, "stop">> {
  const { binaries, folder, credentials } = setting;
  let etcd = await onFreePort((free) => startEtcd(setting, free));
  started.push(etcd);
  const auditLogPath = audit ? join(folder, "audit.log") : undefined;
  const others = { etcd: etcd.url, ...(auditLogPath === undefined ? {} : { auditLog: auditLogPath }) };
  const first = await onFreePort(async (port) => ({
    port,
    running: await startApiServer(setting, { port, ...others }),
  }));
  const { port } = first;
  const where = { port, ...others };
  let apiServer = first.running;
  started.push(apiServer);
  const restartApiServer = async (): Promise<void> => {
    const next = await startApiServer(setting, where);
    started.splice(started.indexOf(apiServer), 1, next);
    apiServer = next;
  };
  const server = `https://127.0.0.1:${port}`;
  started.push(await startControllerManager(setting, server));
  const addUser = async (user: string, groups: string[] = []): Promise<string> => {
    const path = join(folder, `${user.replaceAll(/[^\w.-]/g, "-")}.kubeconfig`);
    writeFileSync(path, await credentials.kubeconfig(server, user, groups), { mode: 0o600 });
    return path;
  };
  const kubeconfigPath = await addUser("admin", ["system:masters"]);
  return {
    folder,
    server,
    kubeconfigPath,
    kubeconfig: readFileSync(kubeconfigPath, "utf8"),
    binaries,
    kubectl: createKubectl(binaries.kubectl, kubeconfigPath, folder),
    auditLogPath,
    apiServerPid: () => apiServer.pid,
    killApiServer: () => apiServer.kill(),
    restartApiServer,
    async withEtcdStopped(work) {
      await apiServer.kill();
      await etcd.stop();
      work(etcd.dataFolder);
      const next = await startEtcd(setting, Number(new URL(etcd.url).port));
      started.splice(started.indexOf(etcd), 1, next);
      etcd = next;
      await restartApiServer();
    },
    addUser,
  };
}
