import type { Described } from "../core/kind/described.ts";
import type { Kind } from "../core/kind/owned.ts";

/**
 * Returns the end of the message about an immutable field, after "cannot be changed": how to replace the object, and
 * what a replacement deletes.
 */
export function remedyOf(kind: Described): string {
  if (!("shape" in kind)) return `: create another ${kind.kind}, and refer to that`;
  const { shape, stays, undo, holdsData } = kind as Kind;
  if (shape === "once" || shape === "survey") return ": create another object";
  if (shape === "setting" || stays !== undefined)
    return `: delete this object and create another. ${undo ? "What it has set is reset" : "The cloud stays as it is"}`;
  const data = holdsData ? " and its data" : "";
  return `. To have it otherwise, delete this object and create another: that deletes the cloud object${data}, unless spec.management.deletionPolicy is Orphan`;
}
