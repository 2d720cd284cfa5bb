import { isDeepStrictEqual } from "node:util";
import { KubeError } from "./errors.ts";
import type { KubeClient, KubeObject, Resource } from "./types.ts";

/**
 * Writes the status of exactly this object. The API server ignores `metadata.uid` in a status patch and checks only
 * `resourceVersion`. If another client changed other fields of the object, sends the patch again. If another client
 * changed the status, throws the conflict: the caller must read the object again.
 *
 * @param object the object from which the caller computed `status`
 * @param status merge patch
 * @throws KubeError 404 if the object does not exist, even if a new object has the name; a conflict if the status has changed
 */
export async function patchStatus(
  { get, patch }: Pick<KubeClient, "get" | "patch">,
  resource: Resource,
  object: KubeObject,
  status: Record<string, unknown>,
): Promise<KubeObject> {
  const { uid, name, namespace } = object.metadata;
  const ref = { name, ...(namespace !== undefined && { namespace }) };
  let { resourceVersion } = object.metadata;
  for (let left = 3; ; left -= 1) {
    try {
      return await patch(resource, ref, { metadata: { uid, resourceVersion }, status }, { subresource: "status" });
    } catch (error) {
      if (!(error instanceof KubeError) || !error.conflict) throw error;
      const current = await get(resource, ref);
      if (current?.metadata.uid !== uid)
        throw new KubeError(`${resource.plural} "${name}" of uid ${uid} is gone`, { status: 404, reason: "NotFound" });
      if (left === 0 || !isDeepStrictEqual(current.status, object.status)) throw error;
      resourceVersion = current.metadata.resourceVersion;
    }
  }
}
