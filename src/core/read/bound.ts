/**
 * Binds an operation to its referenced objects. An operation can wait for a long time. During the wait, a user can delete a referenced
 * object, and create a new object with an equal name. The operation must not run on the new object. Example: a user requested the
 * rebuild of the first instance, so the rebuild must not destroy data of the second instance.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Connected } from "../model/context.ts";

/**
 * Records the UID of a referenced object for an object of the shape `once`. Throws `Stalled` for a UID that differs from the recorded
 * UID. `field`: the reference in the spec, such as `spec.instanceRef`.
 */
export function bindTo({ kind, next }: Connected, field: string, { kind: of, metadata }: KubeObject): void {
  if (kind.shape !== "once") return;
  const { name, uid } = metadata;
  const first = next.bound?.[field];
  if (first !== undefined && first !== uid)
    throw new Stalled(
      "Expired",
      `${field}.name: this ${kind.kind} was for an earlier ${of} ${name}, which was deleted. The operator does not start the operation on the new ${of} ${name}. To start it there, create this object again`,
    );
  next.bound = { ...next.bound, [field]: uid };
}
