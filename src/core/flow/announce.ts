/** The one way to report what happened to an object: an event for its owner, and a log line for the administrator of the operator. */
import type { EventNote, EventRecorder, KubeObject } from "../../cluster/types.ts";
import type { Log } from "../../queue/log.ts";
import type { Condition } from "../kind/status-schema.ts";
import type { Verdict } from "../kind/outcome.ts";
import { readyOf } from "./conditions.ts";
import { keyOfObject } from "../kind/resource.ts";

/** What happened, and the cloud object that it happened to; `id` is undefined where there is none. */
export interface Announcement extends EventNote {
  id: string | undefined;
}

interface Ports {
  events: EventRecorder;
  log: Log;
}

/**
 * Emits the event and writes the line: `info` for Normal, `warn` for Warning. A reconcile that changed nothing announces
 * nothing. The note is read by people and must hold no secret. Never throws.
 */
export function announce({ events, log }: Ports, object: KubeObject, { id, ...note }: Announcement): void {
  events.emit(object, note);
  const fields = { key: keyOfObject(object), ...(id !== undefined && { id }), reason: note.reason };
  if (note.type === "Normal") log.info(fields, note.note);
  else log.warn(fields, note.note);
}

/** One warning when something goes wrong in a new way; the condition says the same for as long as it lasts. */
export function announceFailure(
  ports: Ports,
  object: KubeObject,
  { verdict, before = [], id }: { verdict: Verdict; before: Condition[] | undefined; id: string | undefined },
): void {
  const failed = verdict.state === "stalled" || (verdict.state === "waiting" && verdict.reason === "CloudUnavailable");
  if (!failed) return;
  const { reason, message: note } = verdict;
  const ready = readyOf(before);
  if (ready?.reason === reason && ready.message === note) return;
  announce(ports, object, { type: "Warning", reason, action: "Reconcile", note, id });
}
