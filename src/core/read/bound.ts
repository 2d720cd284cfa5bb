/**
 * Binds an operation to the objects that its references first found. An operation can wait for a long time. If a user then
 * deletes a referenced object and creates another one with the same name, the operation means the first one: a rebuild must
 * not destroy an instance that did not exist when the user asked for it.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Connected } from "../model/context.ts";

/**
 * Records the UID of a referenced object for an object of the shape `once`. Throws `Stalled` if the reference found an
 * object with another UID before. `field`: the reference in the spec, such as `spec.instanceRef`.
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
