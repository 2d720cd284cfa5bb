import type { Kubectl } from "../local-cluster/kubectl.ts";
import type { Definition } from "./manifests.ts";
import type { Row } from "./table.ts";

interface ListedObject {
  kind: string;
  metadata: { name: string; generation?: number };
  status?: {
    observedGeneration?: number;
    id?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

/** All objects of our namespaced kinds, in the order of kind and name. */
export async function listObjects(
  kubectl: Kubectl,
  namespace: string,
  definitions: Definition[],
): Promise<ListedObject[]> {
  const resources = definitions.filter(({ spec }) => spec.scope === "Namespaced").map(({ metadata }) => metadata.name);
  const { stdout, stderr, code } = await kubectl(["get", resources.join(","), "-n", namespace, "-o", "json"]);
  if (code !== 0) throw new Error(`kubectl get: ${stderr.trim()}`);
  const { items } = JSON.parse(stdout) as { items: ListedObject[] };
  return items.toSorted((a, b) => `${a.kind}/${a.metadata.name}`.localeCompare(`${b.kind}/${b.metadata.name}`));
}

/** What the table shows of an object; a condition of an older generation does not count. */
export function rowOf({ kind, metadata, status }: ListedObject): Row {
  const condition = status?.conditions?.find((each) => each.type === "Ready");
  const current = status?.observedGeneration === metadata.generation;
  if (condition === undefined || !current) return { kind, name: metadata.name, ready: "-", reason: "", message: "" };
  const { reason = "", message = "" } = condition;
  return { kind, name: metadata.name, ready: condition.status, reason, message };
}
