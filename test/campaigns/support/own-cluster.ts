import { onTestFinished } from "vitest";
import { startControlPlane } from "../../support/control-plane.ts";
import type { OwnControlPlane } from "../../support/control-plane.ts";
import { installDefinitions } from "../../support/definitions.ts";

/** A control plane with the definitions installed, which the test may break; it ends with the test. */
export async function ownCluster(): Promise<OwnControlPlane> {
  const cluster = await startControlPlane({ auditLog: true });
  onTestFinished(() => cluster.stop());
  await installDefinitions(cluster.kubectl);
  return cluster;
}
