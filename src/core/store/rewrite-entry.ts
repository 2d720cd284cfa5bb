/** Rewrites the journal entry of an existing cloud object: its ID, its observed values, and its operations. */
import { identity, shownIn } from "../kind/fields.ts";
import type { Located } from "../model/context.ts";
import { isObserved } from "../model/context.ts";
import type { JournalEntry } from "../model/journal.ts";
import { writeEntry } from "./write-entry.ts";
import { formerPatterns } from "./duplicates.ts";

/** Stores the entry. By default, `operations` and `retires` stay as they are. Throws `KubeError`. */
export async function rewriteEntry(
  ctx: Located,
  id: string,
  { operations, retires }: Pick<Partial<JournalEntry>, "operations" | "retires"> = ctx.entry ?? {},
  origin = ctx.next.origin ?? (ctx.entry?.is?.id === id ? ctx.entry.is.origin : undefined),
): Promise<void> {
  const former = formerPatterns(ctx);
  const { adopted, applied } = ctx.next;
  const row = isObserved(ctx) ? ctx.row : undefined;
  const pattern = identity(ctx.kind, ctx.desired);
  await writeEntry(ctx, {
    pattern: row ? shownIn(ctx.kind, row, pattern) : pattern,
    known: former.length > 0 ? (ctx.entry?.known ?? []) : [],
    ...(applied && { applied }),
    ...(former.length > 0 && { former }),
    ...(operations && { operations }),
    ...(retires && { retires }),
    is: { id, ...(origin !== undefined && { origin }), ...(adopted && { adopted }) },
  });
}
