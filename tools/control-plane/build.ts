import { buildGo, GoMissing } from "../go-tool/build.ts";
import type { Progress } from "../run/progress.ts";
import { sources, versions } from "./versions.ts";
import type { Program } from "./versions.ts";

/**
 * Builds programs of a control plane from the Go modules that tools/ pins, into `folder`.
 *
 * @throws Error with one line that says what to do, when Go is missing or a build fails
 */
export async function build(wanted: Program[], folder: string, progress: Progress): Promise<void> {
  const byModule = Map.groupBy(wanted, (program) => sources[program].module);
  for (const [module, programs] of byModule) {
    const packages = Object.fromEntries(programs.map((program) => [program, sources[program].package]));
    try {
      await buildGo({ module, packages, variables: versionVariables() }, folder, progress);
    } catch (error) {
      if (!(error instanceof GoMissing))
        throw new Error(`control plane: ${(error as Error).message}`, { cause: error });
      throw new Error(
        "no control plane: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder with kube-apiserver and etcd, or name a cluster with CLUSTER=path/to/kubeconfig",
        { cause: error },
      );
    }
  }
}

/** What Kubernetes programs say they are. */
function versionVariables(): string[] {
  const [major, minor] = versions.kubernetes.slice(1).split(".");
  const variables = { gitVersion: versions.kubernetes, gitMajor: major, gitMinor: minor };
  return Object.entries(variables).map(([name, value]) => `k8s.io/component-base/version.${name}=${value}`);
}
