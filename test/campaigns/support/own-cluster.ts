import { onTestFinished } from "vitest";
import { startControlPlane } from "../../support/control-plane.ts";
import type { OwnControlPlane } from "../../support/control-plane.ts";

/** A control plane with the definitions installed, which the test may break; it ends with the test. */
export async function ownCluster(): Promise<OwnControlPlane> {
  const cluster = await startControlPlane({ auditLog: true });
  onTestFinished(() => cluster.stop());
  const installed = await cluster.kubectl([
    "apply",
    "--server-side",
    "-f",
    "crds",
    "-f",
    "deploy/admission/protect.yaml",
  ]);
  if (installed.code !== 0) throw new Error(`the definitions were not accepted: ${installed.stderr}`);
  const waiting = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"];
  const established = await cluster.kubectl(waiting);
  if (established.code !== 0) throw new Error(`the definitions were not established: ${established.stderr}`);
  return cluster;
}
