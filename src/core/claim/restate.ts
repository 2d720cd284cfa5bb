/** Writing the intent of a cloud object that is there: what it is, what it shows, and what was asked of it. */
import { identity, shownIn } from "../kind/fields.ts";
import type { Located, Observed, Reconciliation } from "../flow/reconciliation.ts";
import { statusOf } from "../flow/reconciliation.ts";
import { intentOn } from "./claim.ts";
import { patchIntent } from "./create.ts";
import type { Intent } from "./intent.ts";

/** `kept`: what an earlier intent recorded and still holds; all that it can by default. Throws `KubeError`. */
export async function restateIntent(
  at: Located,
  id: string,
  kept: Pick<Partial<Intent>, "earlier" | "operations" | "retires"> = intentOn(at) ?? {},
): Promise<void> {
  const { earlier, operations, retires } = kept;
  const { origin, adopted, applied } = at.next;
  const row = "row" in at ? (at as Observed).row : undefined;
  const pattern = identity(at.kind, at.wanted);
  await patchIntent(at, {
    pattern: row ? shownIn(at.kind, row, pattern) : pattern,
    known: [],
    ...(applied && { applied }),
    ...(earlier && { earlier }),
    ...(operations && { operations }),
    ...(retires && { retires }),
    is: { id, ...(origin !== undefined && { origin }), ...(adopted && { adopted }) },
  });
}

/**
 * Definitions of an earlier version drop the proof of what was just written. Then the intent names the cloud object:
 * otherwise nothing would prove it after a restart.
 */
export async function provePruned(at: Reconciliation): Promise<void> {
  const { id, proof } = statusOf(at.object);
  if (id === undefined || proof !== undefined || !isLocated(at) || intentOn(at)?.is?.id === id) return;
  await restateIntent(at, id);
}

function isLocated(at: Reconciliation): at is Located {
  return "collection" in at;
}
