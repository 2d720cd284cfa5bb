import type { Described } from "../core/kind/described.ts";
import type { Kind } from "../core/kind/owned.ts";

/** What the message of an immutable field says after "cannot be changed": what another object costs, and how not to pay it. */
export function remedyOf(kind: Described): string {
  if (!("shape" in kind)) return `: create another ${kind.kind}, and refer to that`;
  const { shape, stays, undo, holdsData } = kind as Kind;
  if (shape === "once" || shape === "survey") return ": create another object";
  if (shape === "setting" || stays !== undefined)
    return `: delete this object and create another. ${undo ? "What it has set is reset" : "The cloud stays as it is"}`;
  const data = holdsData ? " and its data" : "";
  return `. To have it otherwise, delete this object and create another: that deletes the cloud object${data}, unless spec.management.deletionPolicy is Orphan`;
}
