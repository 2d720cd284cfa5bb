/**
 * Operations of which a second one destroys: rebuild, resize, migrate, cancelling backups.
 *
 * Each has an id in status before it is sent. When its outcome is not known, the cloud object is read afresh until it
 * shows that the operation was done; it is never repeated by itself.
 */
import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { confirmStillMeant } from "./claim/confirm.ts";
import { retryOperationAnnotation } from "./claim/intent.ts";
import { saveStatus } from "./claim/record.ts";
import { annotate, settleMsOf } from "./claim/search.ts";
import type { Call } from "./define-kind.ts";
import { isHttpError, Stalled, Waiting } from "./outcome.ts";
import { readRow } from "./presence.ts";
import type { Observed } from "./reconciliation.ts";

/** Before a destructive call: nothing uncertain is open, the object still asks for it, and the cloud object is the same. */
export async function beginOperation(at: Observed, call: Call): Promise<void> {
  const mark = markOf(call);
  refuseUncertain(at, call, mark);
  await confirmStillMeant(at);
  const row = await readRow(at, at.id);
  // What was decided by an older row is decided anew: the operation may be done, or the id mean something else.
  if (!isDeepStrictEqual(row, at.row))
    throw new Waiting("Updating", "the cloud object changed before a disruptive operation", 1_000);
  const time = at.session.client.serverTime().toISOString();
  at.next.operation = { id: randomUUID().slice(0, 8), action: call.action, mark, time };
  await saveStatus(at, { operation: at.next.operation });
}

/** The call failed: where it was certainly refused, the operation is over; otherwise nothing is known of it. */
export async function failOperation(at: Observed, error: unknown): Promise<void> {
  if (!isHttpError(error) || error.outcome !== "refused") return;
  at.next.operation = undefined;
  await saveStatus(at, { operation: null });
}

/** Where an earlier operation is open, the cloud object is read afresh: it may show that it was done. */
export async function followOperation(at: Observed): Promise<void> {
  if (!at.next.operation) return;
  const row = await readRow(at, at.id);
  if (!row) throw new Waiting("Updating", "the cloud object is missing during an operation", 1_000);
  at.row = row;
}

function refuseUncertain(at: Observed, call: Call, mark: string): void {
  const { next, object, session } = at;
  const { operation } = next;
  if (!operation || object.metadata.annotations?.[retryOperationAnnotation] === operation.id) return;
  const leftMs = settleMsOf(at) - (session.client.serverTime().getTime() - Date.parse(operation.time));
  const what = `${operation.action} (operation ${operation.id}) got no response`;
  if (leftMs > 0)
    throw new Waiting(
      "Updating",
      `${what}; waiting whether the cloud object shows that it was done`,
      Math.min(leftMs, 5_000),
    );
  // Something else is asked for since: that is a new wish, not a repetition.
  if (operation.mark !== mark) return;
  const allow = annotate(object, `${retryOperationAnnotation}=${operation.id}`);
  throw new Stalled(
    "OperationUncertain",
    `${what}, and the cloud object does not show that it was done: ${call.note}. It is not repeated by itself. To send it again: ${allow}`,
    60_000,
  );
}

/** A digest, since a body may hold secrets; generated passwords are the same for the same object. */
function markOf({ method, path, body }: Call): string {
  return createHash("sha256")
    .update(JSON.stringify([method, path, body]))
    .digest("base64url")
    .slice(0, 16);
}
