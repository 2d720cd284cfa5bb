/**
 * Returns the rows that a create request without a response may have created. Evidence is the request in the normal form of the
 * kind, the installation tag, and the IDs from before the first attempt. The operator does not compare times of two clocks.
 */
import type { JsonObject } from "../../api/types.ts";
import { unlikeIn } from "../kind/fields.ts";
import type { AnyDesired } from "./context.ts";
import { normalOf } from "../kind/normal.ts";
import type { Kind } from "../kind/owned.ts";
import type { JournalEntry } from "./journal.ts";

export interface LostCreation {
  entry: Pick<JournalEntry, "known" | "pattern" | "tag">;
  kind: Pick<Kind, "fields">;
  desired: AnyDesired;
  /** Tests if a row can be the result of the request. Defaults to `showsEntry`. */
  isMeant?: (id: string, row: JsonObject) => boolean;
  /** Returns false for a row with different content; undefined if the rows of the kind show no content. */
  isSent?: ((row: JsonObject) => boolean) | undefined;
  claimed: (id: string, row: JsonObject) => boolean;
}

export function candidates(rows: ReadonlyMap<string, JsonObject>, lost: LostCreation): string[] {
  const { entry, claimed, isSent } = lost;
  const isMeant = lost.isMeant ?? ((_id: string, row: JsonObject) => showsEntry(lost, row, entry));
  return [...rows]
    .filter(
      ([id, row]) => !entry.known.includes(id) && isMeant(id, row) && isSent?.(row) !== false && !claimed(id, row),
    )
    .map(([id]) => id);
}

type Of = Pick<LostCreation, "desired" | "kind">;

/**
 * Returns true for a row that shows the request in the normal form of the kind, with the installation tag of the
 * request.
 */
export function showsEntry(
  { kind, desired }: Of,
  row: JsonObject,
  entry: Pick<JournalEntry, "pattern" | "tag">,
): boolean {
  return unlikeIn(kind, row, entry.pattern, desired).length === 0 && showsTag(row, entry);
}

/**
 * Returns true for a near match: a row with the installation tag of the request that differs in one field. A service
 * can store a value in a form that the kind does not declare.
 */
export function nearlyShowsEntry({ kind, desired }: Of, row: JsonObject, entry: Pick<JournalEntry, "pattern" | "tag">) {
  return showsTag(row, entry) && unlikeIn(kind, row, entry.pattern, desired).length === 1;
}

function showsTag({ tags }: JsonObject, { tag }: Pick<JournalEntry, "tag">): boolean {
  if (tag === undefined) return true;
  const shown = normalOf(tags ?? []);
  return Array.isArray(shown) && shown.includes(normalOf(tag));
}
