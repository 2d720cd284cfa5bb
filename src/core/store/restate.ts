/** Writing the intent of a cloud object that is there: what it is, what it shows, and what was asked of it. */
import { identity, shownIn } from "../kind/fields.ts";
import type { Located, Observed } from "../model/context.ts";
import type { Intent } from "../model/intent.ts";
import { patchIntent } from "./patch-intent.ts";
import { formerOf } from "./duplicates.ts";

/** What the intent before recorded of operations and of what it replaces is kept by default. Throws `KubeError`. */
export async function restateIntent(
  at: Located,
  id: string,
  { operations, retires }: Pick<Partial<Intent>, "operations" | "retires"> = at.intent ?? {},
  origin = at.next.origin ?? (at.intent?.is?.id === id ? at.intent.is.origin : undefined),
): Promise<void> {
  const former = formerOf(at);
  const { adopted, applied } = at.next;
  const row = "row" in at ? (at as Observed).row : undefined;
  const pattern = identity(at.kind, at.wanted);
  await patchIntent(at, {
    pattern: row ? shownIn(at.kind, row, pattern) : pattern,
    known: former.length > 0 ? (at.intent?.known ?? []) : [],
    ...(applied && { applied }),
    ...(former.length > 0 && { former }),
    ...(operations && { operations }),
    ...(retires && { retires }),
    is: { id, ...(origin !== undefined && { origin }), ...(adopted && { adopted }) },
  });
}
