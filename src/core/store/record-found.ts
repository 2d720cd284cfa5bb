/**
 * Records the cloud object that a search found after an unanswered create request. Without a tag or a unique name,
 * another user may have created the found cloud object at the same moment, and the cloud can still execute the attempt.
 * The journal entry therefore keeps the attempt, so that the operator reports a later result as a duplicate (duplicates.ts).
 */
import type { Located, Observed } from "../model/context.ts";
import { isAccepted } from "../model/attempt.ts";
import { givenUp, isOfObject } from "../model/journal.ts";
import type { JournalEntry } from "../model/journal.ts";
import { originOf } from "../model/origin.ts";
import { writeEntry } from "./write-entry.ts";
import { record } from "./record.ts";
import type { Found } from "../read/search.ts";

/** Records the found cloud object as owned. Throws `KubeError` if the API server does not store the journal entry. */
export async function recordFound(ctx: Located, found: Found, entry: JournalEntry): Promise<Observed> {
  // A journal entry from a backup can be older than the last change. The operator then sends hidden values again.
  const applied = isOfObject(entry, ctx.object) ? entry.applied : undefined;
  if (mayBeOthers(ctx, entry)) await keepAttempt(ctx, found, entry);
  return record(ctx, found, { applied });
}

function mayBeOthers({ kind, object, orphaned, remembered }: Located, entry: JournalEntry): boolean {
  const isUnique = kind.unique === "enforced" || kind.unique === "returnsExisting";
  // The cloud API creates an accepted cloud object immediately.
  const isCertain = isUnique || entry.tag !== undefined || isAccepted(remembered, entry);
  return !isCertain && isOfObject(entry, object) && !orphaned;
}

async function keepAttempt(ctx: Located, { id, row }: Found, entry: JournalEntry): Promise<void> {
  const { pattern, known, applied, retires, operations } = entry;
  const origin = originOf(ctx.kind, row);
  await writeEntry(ctx, {
    pattern,
    known,
    former: givenUp(entry),
    ...(applied && { applied }),
    ...(operations && { operations }),
    ...(retires && { retires }),
    is: { id, ...(origin !== undefined && { origin }) },
  });
}
