/**
 * Of what runs once on one cloud object, one is sent at a time, and nothing else that the operator has the cloud do to it. An
 * event that tells of one would tell of the other as well, and what got no response would count as done.
 */
import { specOf, statusOf } from "../kind/object.ts";
import { statedIntent } from "../model/known.ts";
import { isUnsent } from "../model/unsent.ts";
import { nameFor, realAccountOf } from "../model/ownership.ts";
import { leftOf } from "../model/elapsed.ts";
import { settleMsOf } from "../model/settle.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Call, Request } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Environment } from "../model/environment.ts";
import type { Located, Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Throws `Waiting` while another object's request to the same cloud object is under way, or may still take effect. */
export async function inTurn<T>(at: Observed, { applies }: Call, send: () => Promise<T>): Promise<T> {
  const { kind, collection, id, environment, object } = at;
  const topic = topicOf(kind, { path: collection.path, id, spec: at.spec, applies });
  for (const [other, one] of runsOf(environment))
    if (one.metadata.uid !== object.metadata.uid && isOn(at, other, one, (its) => its === topic))
      throw busy(at, one, id);
  forgetOver(environment);
  const acts = isTold(kind) ? [...environment.memory.acts] : [];
  const beside = acts.find((act) => isWithin(act, topic) && isSameAccount(at, act.by));
  if (beside) throw busy(at, beside.by, id);
  at.remembered.acting = topic;
  try {
    return await send();
  } finally {
    // What left is in the intent.
    at.remembered.acting = undefined;
  }
}

/**
 * Sends what is no run. Throws `Waiting` before, while the event that it causes could be taken for that of a run: no longer than
 * that is waited for.
 */
export async function besideRuns<T>(at: Located, { method, path }: Request, send: () => Promise<T>): Promise<T> {
  // The others change no more than what the row shows.
  if (method !== "POST") return send();
  const { environment, object, remembered } = at;
  for (const [kind, one] of runsOf(environment))
    if (isTold(kind) && isOn(at, kind, one, (topic) => isWithin({ path }, topic)))
      throw busy(at, one, path.slice(0, path.lastIndexOf("/")));
  const { clock, memory } = environment;
  forgetOver(environment);
  const begunAt = clock.now();
  const act = { path, by: object, untilMs: Infinity };
  memory.acts.add(act);
  let isLost = false;
  try {
    return await send();
  } catch (error) {
    // A creation says that by what it remembers.
    const lostAt = remembered.lost?.at ?? -Infinity;
    isLost = isHttpError(error) ? error.outcome !== "refused" : lostAt >= begunAt;
    throw error;
  } finally {
    // What got no response may be carried out, and told of, later.
    if (isLost) act.untilMs = clock.now() + settleMsOf(at);
    else memory.acts.delete(act);
  }
}

function busy(at: Located, by: KubeObject, what: string): Waiting {
  const text = `${nameFor(at, by)} acts on ${what}, and has not ended. This object waits until it has, because one is sent at a time`;
  return new Waiting("Busy", text, times.short);
}

function* runsOf({ kinds, caches }: Environment): Generator<[Kind, KubeObject]> {
  for (const kind of kinds.values()) {
    if (kind.shape !== "once" || !kind.request) continue;
    for (const one of caches.get(kind.kind)?.list() ?? []) yield [kind, one];
  }
}

/** True where an event may decide what became of a run, because nothing else shows it. */
function isTold({ events, made }: Kind): boolean {
  return events !== undefined && made === undefined;
}

/** What cannot take effect any more. */
function forgetOver({ memory: { acts }, clock }: Environment): void {
  for (const act of acts) if (act.untilMs <= clock.now()) acts.delete(act);
}

function isWithin({ path }: { path: string }, topic: string): boolean {
  return path.startsWith(`${topic}/`);
}

function isSameAccount({ environment, object }: Located, other: KubeObject): boolean {
  return realAccountOf(environment, other) === realAccountOf(environment, object);
}

function isOn(at: Located, kind: Kind, object: KubeObject, isMeant: (topic: string) => boolean): boolean {
  const { environment, session } = at;
  if (statusOf(object).run?.result !== undefined) return false;
  const remembered = environment.memory.of(object.metadata.uid);
  const { acting, run } = remembered;
  if (!isSameAccount(at, object)) return false;
  if (acting !== undefined) return isMeant(acting);
  const intent = statedIntent(environment, object);
  const operation = intent?.operations?.at(-1);
  if (!intent?.is || !operation || run?.result !== undefined || isUnsent(remembered, operation)) return false;
  const { collection: path, is } = intent;
  const { applies } = operation;
  if (!isMeant(topicOf(kind, { path, id: is.id, spec: specOf(object) as Record<string, unknown>, applies })))
    return false;
  // An event is dated by the second, and one of this time still counts as of the run.
  return leftOf({ environment, kind, session }, operation) > -2 * times.soon;
}

/** What the events of it are about. */
function topicOf(
  { events }: Kind,
  { path, id, spec, applies }: { path: string; id: string; spec: Record<string, unknown>; applies: Call["applies"] },
): string {
  const { about = id } = events?.({ spec, refs: {}, applied: applies }) ?? {};
  return `${path}/${about}`;
}
