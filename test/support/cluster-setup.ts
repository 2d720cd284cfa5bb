import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { parse } from "yaml";
import { ensureControlPlane } from "../../tools/control-plane/ensure.ts";
import { startLocalCluster } from "../../tools/local-cluster.ts";
import { createKubectl } from "../../tools/local-cluster/kubectl.ts";
import type { SharedCluster } from "./control-plane.ts";
import { installDefinitions } from "./definitions.ts";
import { testLabel } from "./test-namespace.ts";

/**
 * Starts the control plane of the run before the first cluster test and stops it after the last. With
 * `USE_EXISTING_CLUSTER=true` it is the cluster of `KUBECONFIG`, which keeps the definitions and whose audit log is the
 * file `AUDIT_LOG`; tests that kill an API server start one of their own all the same.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { shared, stop } =
    process.env["USE_EXISTING_CLUSTER"] === "true" ? await existing(process.env) : await ownCluster();
  await installDefinitions(createKubectl(shared.kubectlPath, shared.kubeconfigPath, shared.folder));
  project.provide("cluster", shared);
  return stop;
}

interface Started {
  shared: SharedCluster;
  stop: () => Promise<void>;
}

async function ownCluster(): Promise<Started> {
  const cluster = await startLocalCluster({ auditLog: true });
  const { folder, server, kubeconfigPath, binaries, auditLogPath = "" } = cluster;
  const shared = { folder, server, kubeconfigPath, kubectlPath: binaries.kubectl, auditLogPath };
  return { shared, stop: () => cluster.stop() };
}

async function existing({ KUBECONFIG, AUDIT_LOG }: NodeJS.ProcessEnv): Promise<Started> {
  if (KUBECONFIG === undefined || AUDIT_LOG === undefined)
    throw new Error(
      "USE_EXISTING_CLUSTER needs KUBECONFIG and AUDIT_LOG, the files that lead to it and that it writes",
    );
  const { kubectl } = await ensureControlPlane({ wanted: ["kubectl"] });
  const folder = mkdtempSync(join(tmpdir(), "existing-cluster-"));
  const config = parse(readFileSync(KUBECONFIG, "utf8")) as { clusters: { cluster: { server: string } }[] };
  const server = config.clusters[0]?.cluster.server ?? "";
  const shared = { folder, server, kubeconfigPath: KUBECONFIG, kubectlPath: kubectl, auditLogPath: AUDIT_LOG };
  const stop = async (): Promise<void> => {
    await createKubectl(kubectl, KUBECONFIG, folder)(["delete", "namespaces", "-l", testLabel, "--wait=false"]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { shared, stop };
}
