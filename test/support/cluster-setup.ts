import type { TestProject } from "vitest/node";
import { startLocalCluster } from "../../tools/local-cluster.ts";
import { installDefinitions } from "./definitions.ts";

/** Starts the control plane of the run before the first cluster test and stops it after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startLocalCluster({ auditLog: true });
  await installDefinitions(cluster.kubectl);
  project.provide("cluster", {
    folder: cluster.folder,
    server: cluster.server,
    kubeconfigPath: cluster.kubeconfigPath,
    kubectlPath: cluster.binaries.kubectl,
    auditLogPath: cluster.auditLogPath ?? "",
  });
  return () => cluster.stop();
}
