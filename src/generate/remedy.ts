import type { Described } from "../core/kind/described.ts";
import type { Kind } from "../core/kind/owned.ts";

/** Returns the end of a message after "cannot change after creation": how to replace the object, and the consequences. */
export function remedyOf(kind: Described): string {
  if (!("shape" in kind)) return `. Create another ${kind.kind}, and refer to the new object`;
  const { shape, stays, undo, holdsData } = kind as Kind;
  const another = `. Create another ${kind.kind}`;
  if (shape === "once" || shape === "survey") return another;
  if (shape === "setting" || stays !== undefined)
    return `. Delete this ${kind.kind}, and create another. The deletion ${undo ? "resets the values" : "changes nothing"} in the cloud`;
  const data = holdsData ? " and its data" : "";
  return `${another}. If you delete this ${kind.kind}, the operator also deletes the cloud object${data}, unless spec.management.deletionPolicy is Orphan`;
}
