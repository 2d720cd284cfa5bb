/** Builds the controllers of Flux and Argo CD and runs their stories (test/gitops) on a local control plane; exits non-zero when one failed. */
import { ensureControlPlane } from "./control-plane/ensure.ts";
import { ensureGoTool } from "./go-tool/ensure.ts";
import { show } from "./run/command.ts";

try {
  await ensureControlPlane();
  for (const name of ["gitops-health", "kustomize-controller", "gitops-engine"] as const) await ensureGoTool(name);
  process.exitCode = await show("vitest", [
    "run",
    "--config",
    "test/gitops/vitest.config.ts",
    ...process.argv.slice(2),
  ]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
