import type { Kubectl } from "../../tools/local-cluster/kubectl.ts";

/** Installs the custom resource definitions and the admission policy, and waits until they are served. */
export async function installDefinitions(kubectl: Kubectl): Promise<void> {
  const policies = ["protect", "risks", "deletion"].flatMap((name) => ["-f", `deploy/admission/${name}.yaml`]);
  const files = ["-f", "crds", ...policies];
  const installed = await kubectl(["apply", "--server-side", ...files]);
  if (installed.code !== 0) throw new Error(`the definitions were not accepted: ${installed.stderr}`);
  const waiting = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"];
  const established = await kubectl(waiting);
  if (established.code !== 0) throw new Error(`the definitions were not established: ${established.stderr}`);
}
