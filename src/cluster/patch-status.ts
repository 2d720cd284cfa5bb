import { isDeepStrictEqual } from "node:util";
import { KubeError } from "./errors.ts";
import type { KubeClient, KubeObject, Resource } from "./types.ts";

/**
 * Writes the status of just this object. The API server leaves `metadata.uid` of a status patch out of account, and
 * checks `resourceVersion`, so that is the guard. Where somebody changed the rest of the object meanwhile, the patch is
 * sent again; where its status was changed, the caller has to look anew.
 *
 * @param object as it was read; its status is what `status` was worked out from
 * @param status merge patch
 * @throws KubeError: a 404 when the object is gone, also if another one has its name by now; a conflict when its status was changed
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
