import type { Kubectl } from "../local-cluster/kubectl.ts";
import type { DemoCluster } from "./cluster.ts";
import { readAdmission } from "./manifests.ts";
import type { Definition } from "./manifests.ts";

/**
 * Installs the CRDs and waits until they are served. On somebody else's cluster, CRDs that are there stay as they are.
 *
 * @returns takes back what was installed, where that is called for
 */
export async function install(
  { kubectl, foreign }: DemoCluster,
  crds: { text: string; definitions: Definition[] },
): Promise<() => Promise<void>> {
  const names = crds.definitions.map(({ metadata }) => `crd/${metadata.name}`);
  if (foreign && (await kubectl(["get", ...names, "-o", "name"])).stdout !== "") return () => Promise.resolve();
  await must(kubectl, ["apply", "--server-side", "-f", "-"], crds.text);
  await must(kubectl, ["wait", "--for=condition=Established", "--timeout=60s", ...names]);
  if (foreign) return async () => void (await must(kubectl, ["delete", "--ignore-not-found", ...names]));
  await must(kubectl, ["apply", "--server-side", "-f", "-"], readAdmission());
  return () => Promise.resolve();
}

/** Runs kubectl and answers what it printed. Throws an Error with its reason when it fails. */
export async function must(kubectl: Kubectl, args: string[], input?: string): Promise<string> {
  const { stdout, stderr, code } = await kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.slice(0, 2).join(" ")} failed: ${stderr.trim()}`);
  return stdout;
}
