/** Builds the controllers of Flux and Argo CD and runs the stories of all kinds (test/gitops) on a local control plane; exits non-zero if a story fails. */
import { ensureControlPlane } from "./control-plane/ensure.ts";
import { ensureGoTool, gitopsControllers } from "./go-tool/ensure.ts";
import { show } from "./run/command.ts";

try {
  await ensureControlPlane();
  for (const name of ["gitops-health", ...gitopsControllers] as const) await ensureGoTool(name);
  process.exitCode = await show("vitest", ["run", "--project", "gitops", ...process.argv.slice(2)], {
    GITOPS_KINDS: "all",
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
