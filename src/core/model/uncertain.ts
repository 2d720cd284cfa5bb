/** Conditions of objects with an uncertain cloud object, and the choices of the user. */
import { orphanAnnotation, retryCreateAnnotation } from "../kind/annotations.ts";
import { otherKey } from "../kind/fields.ts";
import { listOf } from "../kind/differences.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import { nameForKubectl } from "../kind/resource.ts";
import type { Context } from "./context.ts";
import { isDuplicate, lostIn } from "./attempt.ts";
import type { JournalEntry } from "./journal.ts";
import { times } from "../kind/times.ts";

/** Describes a create request with an unknown outcome. Another process can know more about the response. */
export function unanswered({ remembered }: Context, entry: JournalEntry): string {
  const request = `the create request of attempt ${entry.attempt}`;
  const { state, message } = lostIn(remembered, entry) ?? {};
  if (isDuplicate(remembered, entry)) return `${request} was refused, and an earlier one got no response`;
  if (state === "accepted") return `${request} was accepted`;
  return message === undefined ? `${request} got no response` : `${request} got no clear response (${message})`;
}

export function searching(ctx: Context, entry: JournalEntry, afterMs: number, untilMs: number): Waiting {
  const what = `${unanswered(ctx, entry)}; the operator searches for what it created`;
  return new Waiting("Creating", `${what}, until ${minuteOf(untilMs)} at the latest`, afterMs);
}

/** Returns the next full minute for a message. The text does not change between the reconciles of a wait. */
export function minuteOf(untilMs: number): string {
  return `${new Date(Math.ceil(untilMs / 60_000) * 60_000).toISOString().slice(11, 16)} UTC`;
}

export function notFound(ctx: Context, entry: JournalEntry, what: string): Stalled {
  const text = `${unanswered(ctx, entry)}, and ${what}. Nothing is created${decision(ctx, entry.attempt)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/**
 * For a restored object with the record of a deleted object. The name of the cloud object can have changed since the
 * backup.
 */
export function restored(ctx: Context, { attempt, pattern }: JournalEntry): Stalled {
  const what = `nothing in the cloud matches that record (${JSON.stringify(pattern).slice(0, 200)})`;
  const text = `this object was restored with the record of an earlier one, and ${what}. Nothing is created${decision(ctx, attempt)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

export function several(ctx: Context, entry: JournalEntry, found: string[]): Stalled {
  const shown = listOf(found);
  const text = `${unanswered(ctx, entry)}, and more than one object in the cloud matches it: ${shown}. Nothing is created. Set spec.management.adopt.id to the right one`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/** For rows that can be the result of a request, with a deviation in `why`. Without IDs, the message names no row. */
export function mayBe(ctx: Context, entry: JournalEntry, { ids, why }: { ids: string[]; why: string }): Stalled {
  const [first] = ids;
  const what = first === undefined ? "a cloud object" : listOf(ids);
  const share = "if it is this object's, the owner of the account can adopt it";
  const adopt = first === undefined ? share : `if it is this object's, set spec.management.adopt.id: "${first}"`;
  const retry = annotate(ctx.object, `${retryCreateAnnotation}=${entry.attempt}`);
  const other = deletes(ctx) ? "" : `; if not, ${otherKey(ctx.kind)} and allow a new one: ${retry}`;
  const text = `${unanswered(ctx, entry)}, and ${what} may be what it created: ${why}. Nothing is created, changed or deleted until you decide: ${adopt}${other}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/** For rows that appeared after the operator abandoned an attempt. */
export function late(ctx: Context, { attempt }: JournalEntry, ids: string[]): Stalled {
  const what = `${listOf(ids)} may be what an earlier create request of this object created: it shows the same values, and no object manages it`;
  const ways = deletes(ctx)
    ? "If it is this object's, delete it in the cloud"
    : `Nothing more is created. If it is this object's, set spec.management.adopt.id: "${ids[0]}"; otherwise allow another one: ${annotate(ctx.object, `${retryCreateAnnotation}=${attempt}`)}`;
  return new Stalled("CreateUncertain", `${what}. ${ways}`, times.quiet);
}

export function untold(ctx: Context, entry: JournalEntry, id: string): Stalled {
  const other = deletes(ctx)
    ? ""
    : `; if it belongs to somebody else, ${otherKey(ctx.kind)} and allow a new one: ${annotate(ctx.object, `${retryCreateAnnotation}=${entry.attempt}`)}`;
  const text = `${unanswered(ctx, entry)}, and ${id} may be what it created, or belong to somebody else: nothing proves which one. Nothing is created or deleted. If it is this object's, delete it in the cloud${other}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/** For an object with a possible cloud object, but without a proof. */
export function unproven(ctx: Context, attempt: string, why: string): Stalled {
  const text = `${lostRecord(why)}. A cloud object may exist already. Nothing is created${decision(ctx, attempt)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

export function lostRecord(why: string): string {
  return `the annotation that records what was created for this object ${why}`;
}

/** For an object with a cloud object in the previously connected account. */
export function elsewhere(ctx: Context, id: string): Stalled {
  const way = deletes(ctx)
    ? ""
    : "; to use a cloud object of the current account, set spec.management.adopt; to create one, delete this object with cloudplatform.dev/orphan=true and apply it again without annotations";
  const text = `${id} belongs to the account that was connected before. It is not changed. Connect the former account again${way}`;
  return new Stalled("AccountChanged", text);
}

function decision(ctx: Context, attempt: string): string {
  if (deletes(ctx)) return "";
  const create = annotate(ctx.object, `${retryCreateAnnotation}=${attempt}`);
  return ` until you decide: to use a cloud object that exists, set spec.management.adopt.id; if none exists, allow a new one: ${create}`;
}

export function deletes({ object }: Context): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Returns the command that removes the finalizer during a deletion, for a message. */
export function leaving(object: KubeObject): string {
  return `to delete this object and keep the cloud object: ${annotate(object, `${orphanAnnotation}=true`)}`;
}

export function annotate({ kind, metadata }: KubeObject, what: string): string {
  return `kubectl annotate ${nameForKubectl(kind)} -n ${metadata.namespace} ${metadata.name} --overwrite ${what}`;
}
