/**
 * Moves an exclusive cloud object to a new holder. Example: an instance moves from the Firewall `old` to the Firewall `new`.
 *
 * The cloud API refuses to attach the instance while `old` has the instance. The Firewall `old` therefore does not detach the
 * instance, but offers the instance. When the attach request of `new` is ready to leave, `new` accepts the offer. The operator
 * sends the detach request and directly afterwards the attach request. No action on the instance begins between the two requests.
 */
import { nameOf } from "../kind/naming.ts";
import { specOf, statusOf } from "../kind/object.ts";
import { fixedCollectionOf } from "../model/note-claim.ts";
import { nameFor, observes, realAccountOf } from "../model/owners.ts";
import { isRefusal, refuseAgain, wakeRefused } from "./refusals.ts";
import { proveAgain, revalidate } from "./revalidate.ts";
import type { Located, Observed, Context } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { besideActions } from "./action-lock.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Call } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Resolved } from "../kind/reference.ts";
import { keyOfObject } from "../kind/resource.ts";
import { mayNameExisting } from "../read/holding.ts";
import { exclusiveOf, topicOf } from "../model/topic.ts";
import { times } from "../kind/times.ts";

type Send = () => Promise<void>;

/** Sends a call that takes or gives a cloud object. Throws `Waiting` while the call waits for a taker, and errors of `send`. */
async function handOver(ctx: Observed, call: Call, send: Send): Promise<void> {
  if (call.gives !== undefined) return give(ctx, call.gives, send);
  if (call.takes !== undefined) return takeOffered(ctx, call, call.takes, send);
  return send();
}

/** Sends calls that take or give cloud objects. After a refusal, and while a call waits, the next calls are sent, too. Throws the first error. */
export async function handOverEach(
  ctx: Observed,
  calls: readonly Call[],
  send: (call: Call) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const call of calls) {
    try {
      await handOver(ctx, call, () => send(call));
    } catch (error) {
      if (!isRefusal(error) && !(error instanceof Waiting)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Records the held cloud objects, and withdraws offers without a call that gives. */
export function noteHoldings(ctx: Observed, ids: readonly string[], calls: readonly Call[]): void {
  const { holdings } = ctx.environment;
  const topics = ids.map((id) => topicOf(ctx, id) ?? "");
  holdings.hold(ctx.key, topics);
  const given = new Set(calls.map(({ gives }) => gives));
  for (const [index, topic] of topics.entries()) if (!given.has(ids[index])) holdings.withdraw(topic, ctx.key);
}

async function give(ctx: Observed, id: string, send: Send): Promise<void> {
  const { holdings, clock } = ctx.environment;
  const topic = topicOf(ctx, id) ?? "";
  const taker = takerOf(ctx, id);
  const before = holdings.offerOf(topic);
  const isNew = before?.by !== ctx.key;
  const since = isNew ? clock.now() : before.since;
  const leftMs = since + (taker ? times.again : times.soon) - clock.now();
  const release = async (): Promise<void> => {
    holdings.withdraw(topic, ctx.key);
    await send();
  };
  if (leftMs <= 0) return release();
  holdings.offer(topic, { by: ctx.key, since, release });
  if (isNew && taker) wakeRefused(ctx.environment, keyOfObject(taker));
  const what = heldName(ctx.kind, id);
  const text = taker
    ? `${nameFor(ctx, taker)} takes over ${what}. This object releases it when the other object is ready, after ${times.again / 1_000} seconds at the latest`
    : `this object releases ${what} in ${times.soon / 1_000} seconds. Until then, another ${ctx.kind.kind} can take it over`;
  throw new Waiting("WaitingForChange", text, Math.min(leftMs, times.soon));
}

async function takeOffered(ctx: Observed, call: Call, id: string, send: Send): Promise<void> {
  const { holdings, clock } = ctx.environment;
  const offer = holdings.offerOf(topicOf(ctx, id) ?? "");
  if (!offer || offer.by === ctx.key) return send();
  // In the pause after a refusal, this request would not follow the release.
  refuseAgain(ctx, call);
  // After the release, a changed fact would leave the cloud object without a holder.
  await revalidate(ctx, () => proveAgain(ctx, call, clock.now()));
  await besideActions(ctx, { method: "POST", path: `${pathOf(ctx, id)}/hand-over` }, async () => {
    await released(offer.release, heldName(ctx.kind, id));
    await send();
  });
  wakeRefused(ctx.environment, offer.by);
}

async function released(release: Send, what: string): Promise<void> {
  try {
    await release();
  } catch (error) {
    // The former holder released the cloud object before.
    if (isHttpError(error) && error.status === 404) return;
    const text = `the former holder could not release ${what}. The operator retries`;
    throw new Waiting("WaitingForChange", text, times.soon);
  }
}

function heldName(kind: Context["kind"], id: string): string {
  const to = exclusiveOf(kind)?.to;
  return to ? nameOf(to, id) : id;
}

function pathOf({ environment, kind }: Context, id: string): string {
  const of = environment.kinds.get(exclusiveOf(kind)?.to.kind ?? "");
  const path = of && fixedCollectionOf(of);
  return of && path !== undefined ? collectionOf(of, path).itemPath(id) : id;
}

/**
 * Returns the references of a creation without the cloud objects of different holders. The cloud API would refuse the creation. After
 * the creation, a step takes the cloud objects over.
 */
export function withoutHeld(ctx: Located): Located["desired"] {
  const { reference } = exclusiveOf(ctx.kind) ?? {};
  const refs = ctx.desired.refs as Record<string, unknown>;
  const named = reference === undefined ? undefined : refs[reference];
  if (reference === undefined || !Array.isArray(named)) return ctx.desired;
  const free = (named as Resolved[]).filter(({ id }) => !isHeld(ctx, id));
  return { ...ctx.desired, refs: { ...refs, [reference]: free } as unknown as Located["desired"]["refs"] };
}

function isHeld(ctx: Located, id: string): boolean {
  const { holdings } = ctx.environment;
  const topic = topicOf(ctx, id) ?? "";
  const holder = holdings.offerOf(topic)?.by ?? holdings.holderOf(topic);
  return holder !== undefined && holder !== ctx.key;
}

export function namedIn({ environment, kind, object, spec }: Located): string[] {
  const { to } = exclusiveOf(kind) ?? {};
  return [to?.from(spec) ?? []]
    .flat()
    .flatMap(
      ({ id, name }) => id ?? environment.claims.of(`${to?.kind}/${object.metadata.namespace}/${name}`)?.id ?? [],
    );
}

/** Returns false for a Stalled object, unless a release of the cloud object can end the reason. */
function canTake({ metadata, status }: KubeObject): boolean {
  const { observedGeneration, conditions = [] } = statusOf({ status } as KubeObject);
  const stalled = conditions.find(({ type, status: is }) => type === "Stalled" && is === "True");
  return stalled === undefined || stalled.reason === "Refused" || observedGeneration !== metadata.generation;
}

/** Returns an object that is not the holder, but names the cloud object in the exclusive reference of the spec. */
export function takerOf(ctx: Context, id: string): KubeObject | undefined {
  const { environment, kind, object, key } = ctx;
  const exclusive = exclusiveOf(kind);
  if (!exclusive) return undefined;
  const { to } = exclusive;
  const of = environment.kinds.get(to.kind);
  const collection = of && fixedCollectionOf(of);
  const managers = collection === undefined ? [] : environment.claims.ofId(collection, id);
  const names = (other: KubeObject): boolean =>
    [to.from(other.spec ?? {}) ?? []]
      .flat()
      .some((one) => one.id === id || managers.includes(`${to.kind}/${other.metadata.namespace ?? ""}/${one.name}`));
  const others = environment.caches.get(kind.kind)?.list() ?? [];
  return others.find(
    (other) =>
      keyOfObject(other) !== key &&
      other.metadata.deletionTimestamp === undefined &&
      !observes(other) &&
      specOf(other).management?.policy !== "Paused" &&
      realAccountOf(environment, other) === realAccountOf(environment, object) &&
      canTake(other) &&
      (other.metadata.namespace === object.metadata.namespace || mayNameExisting(environment, other)) &&
      names(other) &&
      !environment.holdings.has(keyOfObject(other), topicOf(ctx, id) ?? ""),
  );
}
