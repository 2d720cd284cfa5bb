/** Parents of an object. The deletion of a parent also deletes the contained cloud objects. */
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { Waiting } from "../kind/outcome.ts";
import { kindOf } from "../kind/reference.ts";
import { finalizer } from "../kind/resource.ts";
import type { Connected } from "./context.ts";
import { times } from "../kind/times.ts";

/** Throws `Waiting` if the operator is deleting a parent: one request deletes the parent with all contents. */
export function waitForParent(ctx: Connected): void {
  for (const { what, parent } of parentsOf(ctx)) {
    if (parent && takesAlong(parent))
      throw new Waiting(
        "WaitingForParent",
        `the operator is deleting ${what}, and this object together with it`,
        times.again,
      );
  }
}

/**
 * Returns true if the operator is deleting the cloud object of the parent. Without the operator's finalizer, the cloud
 * object is already deleted, even if a foreign finalizer keeps the custom resource.
 */
function takesAlong({ metadata, spec }: KubeObject): boolean {
  const { management = {} } = (spec ?? {}) as CommonSpec;
  const deletes = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer);
  return deletes === true && management.deletionPolicy !== "Orphan";
}

/** Returns the parents of an object; `parent` is undefined if the custom resource does not exist. */
export function parentsOf({
  environment,
  kind,
  object,
  spec,
}: Connected): { what: string; parent: KubeObject | undefined }[] {
  const { namespace = "" } = object.metadata;
  return Object.values(kind.references ?? {}).flatMap((reference) => {
    if ("secret" in reference || !reference.contained) return [];
    return [reference.from(spec) ?? []].flat().flatMap((entry) => {
      const { name } = entry;
      if (name === undefined) return [];
      const of = kindOf(reference, entry);
      return [{ what: `${of} ${name}`, parent: environment.caches.get(of)?.get({ namespace, name }) }];
    });
  });
}
