/** The objects that contain an object: what is part of them goes with them. */
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { Waiting } from "../kind/outcome.ts";
import { kindOf } from "../kind/reference.ts";
import { finalizer } from "../kind/resource.ts";
import type { Connected } from "./context.ts";
import { times } from "../kind/times.ts";

/** What is contained in a parent that is being deleted goes with it: one call instead of many. */
export function waitForParent(at: Connected): void {
  for (const { what, parent } of parentsOf(at)) {
    if (parent && takesAlong(parent))
      throw new Waiting("WaitingForParent", `${what} is being deleted, and this object with it`, times.again);
  }
}

/** What it is in the cloud is gone where its finalizer is, also where another finalizer still holds the object. */
function takesAlong({ metadata, spec }: KubeObject): boolean {
  const { management = {} } = (spec ?? {}) as CommonSpec;
  const deletes = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer);
  return deletes === true && management.deletionPolicy !== "Orphan";
}

/** The objects that contain this one; `parent` is undefined where it is gone. */
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
