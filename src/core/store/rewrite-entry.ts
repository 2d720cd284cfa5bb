/** Writing the journal entry of a cloud object that is there: what it is, what it shows, and what was asked of it. */
import { identity, shownIn } from "../kind/fields.ts";
import type { Located, Observed } from "../model/context.ts";
import type { JournalEntry } from "../model/journal.ts";
import { writeEntry } from "./write-entry.ts";
import { formerPatterns } from "./duplicates.ts";

/** What the journal entry before recorded of operations and of what it replaces is kept by default. Throws `KubeError`. */
export async function rewriteEntry(
  ctx: Located,
  id: string,
  { operations, retires }: Pick<Partial<JournalEntry>, "operations" | "retires"> = ctx.entry ?? {},
  origin = ctx.next.origin ?? (ctx.entry?.is?.id === id ? ctx.entry.is.origin : undefined),
): Promise<void> {
  const former = formerPatterns(ctx);
  const { adopted, applied } = ctx.next;
  const row = "row" in ctx ? (ctx as Observed).row : undefined;
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
