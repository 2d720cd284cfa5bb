/** Records the start and the end of a run. */
import { announce } from "../store/announce.ts";
import type { Operation, Run } from "../kind/status-schema.ts";
import { settleMsOf } from "../model/settle.ts";
import { eventOf } from "../read/account-events.ts";
import type { Located } from "../model/context.ts";
import { wakeReferred } from "../model/referred.ts";

/** The ID of the target is known. The target can be absent. */
export type Acted = Located & { id: string };

type Ended = NonNullable<Run["result"]>;

export function end(at: Acted, { id, time }: Pick<Operation, "id" | "time">, result: Ended, message?: string): void {
  const finishedAt = result === "Superseded" ? at.next.run?.finishedAt : now(at);
  note(at, {
    ...(at.next.run ?? { id, startedAt: time }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(at.next.run?.progressPercent !== undefined && result === "Complete" && { progressPercent: 100 }),
    result,
    ...(message !== undefined && { message: message.slice(0, 1_024) }),
  });
  wakeReferred(at);
  const type = result === "Failed" ? "Warning" : "Normal";
  const text = message ?? `${nameOfRun(at, id)} is complete`;
  announce(at.environment, at.object, { type, reason: result, action: "Run", note: text, id: at.id });
}

/** Returns action and operation for messages, or the kind if the operator sent no request. */
export function nameOfRun({ intent, kind }: Pick<Acted, "intent" | "kind">, id: string): string {
  const sent = intent?.operations?.find((one) => one.id === id);
  return sent ? `${sent.action} (operation ${id})` : `this ${kind.kind}`;
}

export const now = (at: Acted): string => at.session.client.serverTime().toISOString();

/** Stores the run in memory, too, because the API server can refuse the status. */
export function note(at: Acted, run: Run): void {
  at.next.run = run;
  at.remembered.run = run;
}

/** Ends the run of an absent target: `Complete` if an account event reports the success, otherwise `Failed`. */
export async function endOfGone(
  at: Acted,
  operation: Operation,
  what = `${at.id} does not exist in ${at.collection.path} any more`,
): Promise<void> {
  // A much later event belongs to another request.
  const told = await eventOf(at, at.id, operation, settleMsOf(at));
  if (told === "finished") return end(at, operation, "Complete");
  const events = told === undefined ? "no event of the cloud reports" : `an event of the cloud says "${told}" of`;
  end(at, operation, "Failed", `${what}, and ${events} ${operation.action} (operation ${operation.id})`);
}

/**
 * Ends the run if the ID of the target now names another cloud object. The operator sends no request to the new cloud
 * object.
 */
export async function endOfReplaced(at: Acted, operation: Operation | undefined): Promise<void> {
  const what = `${at.id} in ${at.collection.path} is another cloud object by now`;
  if (operation) return endOfGone(at, operation, what);
  end(at, { id: at.object.metadata.uid.slice(0, 8), time: now(at) }, "Failed", `${what}. Nothing was sent to it`);
}
