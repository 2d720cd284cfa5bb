/** Reports the history of an object: an event for the user, and a log line for the administrator. */
import { sentence } from "../kind/naming.ts";
import { readyOf, statusOf } from "../kind/object.ts";
import type { EventNote, EventRecorder, KubeObject } from "../../cluster/types.ts";
import type { Log } from "../../queue/log.ts";
import type { Condition } from "../kind/status-schema.ts";
import type { Verdict } from "../kind/outcome.ts";
import { reasonDocs } from "../kind/reasons.ts";
import { keyOfObject, refOf } from "../kind/resource.ts";
import type { Environment } from "../model/environment.ts";
import { times } from "../kind/times.ts";

/** An event and the ID of its cloud object; undefined without a cloud object. */
export interface Announcement extends EventNote {
  id: string | undefined;
  /** Method and path of a failed request, for the log line. */
  request?: string | undefined;
}

interface Ports {
  events: EventRecorder;
  log: Log;
}

/**
 * Emits the event and writes the log line: `info` for Normal, `warn` for Warning. The note must contain no secret.
 * Never throws.
 */
export function announce({ events, log }: Ports, object: KubeObject, { id, request, ...note }: Announcement): void {
  const text = sentence(note.note);
  events.emit(object, { ...note, note: text });
  const fields = { key: keyOfObject(object), ...(id !== undefined && { id }), ...(request && { request }) };
  const line = { ...fields, reason: note.reason };
  if (note.type === "Normal") log.info(line, text);
  else log.warn(line, text);
}

/**
 * Emits an event for a new failure, and for a new wait that needs a user and does not end soon. The condition has the
 * same text. `object`: as the closing patch stored it.
 */
export function announceVerdict(
  environment: Environment,
  object: KubeObject,
  { verdict, before, id }: { verdict: Verdict; before: Condition[] | undefined; id: string | undefined },
): void {
  const now = readyOf(statusOf(object).conditions);
  if (!now || isSameReady(readyOf(before), now)) return;
  const remembered = environment.memory.of(object.metadata.uid);
  remembered.notTold?.();
  const { reason, message: note } = now;
  const tell = (type: EventNote["type"]): void =>
    announce(environment, object, { type, reason, action: "Reconcile", note, id, request: requestOf(verdict) });
  const failed = verdict.state === "stalled" || (verdict.state === "waiting" && verdict.reason === "CloudUnavailable");
  // `shapes/run.ts` announces the end of a run.
  if (reason === "Failed") return;
  if (failed) return tell("Warning");
  const type = verdict.state === "waiting" && !verdict.byItself ? reasonDocs[verdict.reason].waits : undefined;
  if (!type) return;
  remembered.notTold = environment.clock.schedule(delays[reason] ?? times.apply, () => {
    const later = environment.caches.get(object.kind)?.get(refOf(object));
    if (later?.metadata.uid === object.metadata.uid && isSameReady(readyOf(statusOf(later).conditions), now))
      tell(type);
  });
}

function requestOf(verdict: Verdict): string | undefined {
  return verdict.state === "waiting" || verdict.state === "stalled" ? verdict.request : undefined;
}

/**
 * Delays of events that differ from the default. The condition of a missing object or Secret often names a spelling mistake, so its
 * author must see the event soon. One `kubectl apply` creates its objects within the delay.
 */
const delays: Record<string, number> = { WaitingForReference: times.soon, WaitingForSecret: times.soon };

function isSameReady(one: Condition | undefined, other: Condition): boolean {
  return one?.reason === other.reason && one.message === other.message;
}
