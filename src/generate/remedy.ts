import type { Described } from "../core/kind/described.ts";
import type { Kind } from "../core/kind/owned.ts";

/** Returns the end of a message after "cannot be changed": how to replace the object, and the consequences. */
export function remedyOf(kind: Described): string {
  if (!("shape" in kind)) return `: create another ${kind.kind}, and refer to the new object`;
  const { shape, stays, undo, holdsData } = kind as Kind;
  if (shape === "once" || shape === "survey") return ": create another object";
  if (shape === "setting" || stays !== undefined)
    return `: delete this object and create another. ${undo ? "The deletion resets the values in the cloud" : "The deletion changes nothing in the cloud"}`;
  const data = holdsData ? " and its data" : "";
  return `. To change the field, delete this object and create another. The deletion also deletes the cloud object${data}, unless spec.management.deletionPolicy is Orphan`;
}
