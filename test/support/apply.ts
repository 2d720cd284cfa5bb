import { objectPath, withQuery } from "../../src/cluster/paths.ts";
import type { Transport } from "../../src/cluster/transport.ts";
import type { KubeObject, Resource } from "../../src/cluster/types.ts";

/** Who applies; unknown fields are refused, as by kubectl. */
const asKubectl = { fieldManager: "kubectl", force: "true", fieldValidation: "Strict" };

/** Server-side apply over a transport: what `kubectl apply --server-side` sends, without the process, which costs more than the rest of a world. */
export async function applyObject(transport: Transport, resource: Resource, object: KubeObject): Promise<void> {
  const { namespace, name } = object.metadata;
  await transport.request({
    method: "PATCH",
    path: withQuery(objectPath(resource, { name, ...(namespace !== undefined && { namespace }) }), asKubectl),
    body: { ...object },
    contentType: "application/apply-patch+yaml",
    idempotent: true,
    verb: "apply",
    resource: resource.plural,
  });
}
