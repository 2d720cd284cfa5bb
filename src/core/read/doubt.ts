/** Near matches: rows for a user to judge after a create request without a response. */
import type { Snapshot } from "../../observe/types.ts";
import type { Located } from "../model/context.ts";
import { grantsFor } from "./grants.ts";
import { candidates, nearlyShowsEntry } from "../model/candidates.ts";
import type { LostCreation } from "../model/candidates.ts";
import { requesterOf } from "../model/creator.ts";
import { lostIn } from "../model/attempt.ts";
import { isOfObject } from "../model/journal.ts";
import type { JournalEntry } from "../model/journal.ts";
import { keyIn } from "../kind/fields.ts";

export interface Doubt {
  ids: string[];
  why: string;
}

/**
 * Returns new rows with one deviation from the request, unless another object requested the row. A row is new if the
 * list before the request did not show the row. After a restart, the operator does not know the earlier list, so only
 * rows with the installation tag count. A namespace without `sharing.existing` gets no IDs.
 */
export function doubtIn(ctx: Located, { rows }: Snapshot, entry: JournalEntry, lost: LostCreation): Doubt | undefined {
  if (!isOfObject(entry, ctx.object)) return undefined;
  const { before } = lostIn(ctx.remembered, entry) ?? {};
  const isNew = (id: string): boolean => (before ? !before.has(id) : entry.tag !== undefined);
  const near = candidates(rows, {
    ...lost,
    isMeant: (id, row) =>
      isNew(id) &&
      nearlyShowsEntry(ctx, row, entry) &&
      requesterOf(ctx, row, keyIn(ctx.kind, entry.pattern)) === undefined,
  });
  const stored = "it appeared after the request, and one value of the request is stored in another form";
  return near.length > 0 ? { ids: grantsFor(ctx).existing ? near : [], why: stored } : undefined;
}
