/**
 * Serializes actions (shape `once`) on a cloud object. If two requests with similar account events were in flight, an
 * event of the first request could count as proof for the second request.
 */
import { specOf } from "../kind/object.ts";
import { storedRecord } from "../model/stored.ts";
import { statedEntry } from "../model/known.ts";
import { isUnsent } from "../model/unsent.ts";
import { nameFor, realAccountOf } from "../model/owners.ts";
import { leftOf } from "../model/elapsed.ts";
import { settleMsOf } from "../model/settle.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Call, Request } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { Environment } from "../model/environment.ts";
import type { Located, Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

/**
 * Sends the request of an action. Throws `Waiting` while the request of another custom resource to the same cloud
 * object is in flight, or can still take effect.
 */
export async function withActionLock<T>(ctx: Observed, { applies }: Call, send: () => Promise<T>): Promise<T> {
  const { kind, collection, id, environment, object } = ctx;
  const topic = actionTopic(kind, { path: collection.path, id, spec: ctx.spec, applies });
  for (const [other, one] of runsOf(environment))
    if (one.metadata.uid !== object.metadata.uid && isOn(ctx, other, one, (its) => its === topic)) throw busy(ctx, one);
  forgetOver(environment);
  const acts = isTold(kind) ? [...environment.memory.acts] : [];
  const beside = acts.find((act) => isWithin(act, topic) && isSameAccount(ctx, act.by));
  if (beside) throw busy(ctx, beside.by);
  ctx.remembered.acting = topic;
  try {
    return await send();
  } finally {
    // If the request left, the journal entry on the object names the operation.
    ctx.remembered.acting = undefined;
  }
}

/**
 * Sends a request that is no action. Throws `Waiting` before the request if its account event could count as proof for
 * an action. The wait ends when the action can no longer take effect.
 */
export async function besideActions<T>(ctx: Located, { method, path }: Request, send: () => Promise<T>): Promise<T> {
  // The row shows the complete effect of PUT and DELETE, so their events are not needed as proof.
  if (method !== "POST") return send();
  const { environment, object, remembered } = ctx;
  for (const [kind, one] of runsOf(environment))
    if (isTold(kind) && isOn(ctx, kind, one, (topic) => isWithin({ path }, topic))) throw busy(ctx, one);
  const { clock, memory } = environment;
  forgetOver(environment);
  const begunAt = clock.now();
  const act = { path, by: object, untilMs: Infinity };
  memory.acts.add(act);
  let isLost = false;
  try {
    return await send();
  } catch (error) {
    // A creation throws `Waiting` after a lost response.
    const { state, at = -Infinity } = remembered.attempt ?? {};
    const isCreationLost = (state === "accepted" || state === "unknown") && at >= begunAt;
    isLost = isHttpError(error) ? error.outcome !== "refused" : isCreationLost;
    throw error;
  } finally {
    // The cloud can execute an unanswered request later, and emit the event later.
    if (isLost) act.untilMs = clock.now() + settleMsOf(ctx);
    else memory.acts.delete(act);
  }
}

function busy(ctx: Located, by: KubeObject): Waiting {
  const text = `${nameFor(ctx, by)} runs an operation on the same cloud object. This object waits until its end`;
  return new Waiting("Busy", text, times.short);
}

function* runsOf({ kinds, caches }: Environment): Generator<[Kind, KubeObject]> {
  for (const kind of kinds.values()) {
    if (kind.shape !== "once" || !kind.request) continue;
    for (const one of caches.get(kind.kind)?.list() ?? []) yield [kind, one];
  }
}

/** Tests if only an account event can decide the outcome of an action of the kind. */
function isTold({ events, made }: Kind): boolean {
  return events !== undefined && made === undefined;
}

function forgetOver({ memory: { acts }, clock }: Environment): void {
  for (const act of acts) if (act.untilMs <= clock.now()) acts.delete(act);
}

function isWithin({ path }: { path: string }, topic: string): boolean {
  return path.startsWith(`${topic}/`);
}

function isSameAccount({ environment, object }: Located, other: KubeObject): boolean {
  return realAccountOf(environment, other) === realAccountOf(environment, object);
}

function isOn(ctx: Located, kind: Kind, object: KubeObject, isMeant: (topic: string) => boolean): boolean {
  const { environment, session } = ctx;
  if (storedRecord(environment, object).run?.result !== undefined) return false;
  const remembered = environment.memory.of(object.metadata.uid);
  const { acting, run } = remembered;
  if (!isSameAccount(ctx, object)) return false;
  if (acting !== undefined) return isMeant(acting);
  const entry = statedEntry(environment, object);
  const operation = entry?.operations?.at(-1);
  if (!entry?.is || !operation || run?.result !== undefined || isUnsent(remembered, operation)) return false;
  const { collection: path, is } = entry;
  const { applies } = operation;
  if (!isMeant(actionTopic(kind, { path, id: is.id, spec: specOf(object) as Record<string, unknown>, applies })))
    return false;
  // The cloud API dates events in whole seconds, so a slightly later event can still belong to the action.
  return leftOf({ environment, kind, session }, operation) > -2 * times.soon;
}

/** Returns the path that the account events of the action name. */
function actionTopic(
  { events }: Kind,
  { path, id, spec, applies }: { path: string; id: string; spec: Record<string, unknown>; applies: Call["applies"] },
): string {
  const { about = id } = events?.({ spec, refs: {}, applied: applies }) ?? {};
  return `${path}/${about}`;
}
