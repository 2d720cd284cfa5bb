/** Conditions of objects with an uncertain cloud object, and the choices of the user. */
import { describeKey } from "../kind/words.ts";
import { nameOf, nounOf, oneOf } from "../kind/naming.ts";
import { journalAnnotation, orphanAnnotation, retryCreateAnnotation } from "../kind/annotations.ts";
import { changeableKeys, otherKey } from "../kind/fields.ts";
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
  const request = "the create request";
  const { state, message } = lostIn(remembered, entry) ?? {};
  if (isDuplicate(remembered, entry)) return `${request} was refused, and an earlier create request got no response`;
  if (state === "accepted") return `${request} was accepted`;
  return `${request} ${message ?? "got no response"}`;
}

export function searching(ctx: Context, entry: JournalEntry, afterMs: number, untilMs: number): Waiting {
  const what = `${unanswered(ctx, entry)}. The operator searches for the new ${nounOf(ctx.kind)}`;
  return new Waiting("Creating", `${what}, until ${minuteOf(untilMs)} at the latest`, afterMs);
}

/** Returns the next full minute for a message. The text does not change between the reconciles of a wait. */
export function minuteOf(untilMs: number): string {
  return dayAndMinuteOf(untilMs).slice("2026-01-01 ".length);
}

/** Returns the next full minute with its day, for waits that can take days. */
export function dayAndMinuteOf(untilMs: number): string {
  const text = new Date(Math.ceil(untilMs / 60_000) * 60_000).toISOString();
  return `${text.slice(0, 16).replace("T", " ")} UTC`;
}

export function notFound(ctx: Context, entry: JournalEntry, what: string): Stalled {
  const text = `${unanswered(ctx, entry)}, and ${what}. ${decision(ctx, entry.attempt)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/**
 * For a restored object with the record of a deleted object. The name of the cloud object can have changed since the
 * backup.
 */
export function restored(ctx: Context, { attempt, pattern }: JournalEntry): Stalled {
  const key = describeKey(ctx.kind, {}, pattern);
  const what = `no ${nounOf(ctx.kind)} in the cloud matches the record (${key})`;
  const text = `this object was restored with the record of an earlier object, and ${what}. ${decision(ctx, attempt)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

export function several(ctx: Context, entry: JournalEntry, found: string[]): Stalled {
  const what = `the account has more than one matching ${nounOf(ctx.kind)}: ${listOf(found)}`;
  const text = `${unanswered(ctx, entry)}, and ${what}. The operator creates nothing. Set spec.management.adopt.id to the correct ID${noneOf(ctx, entry)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/** Returns the choice of a user to whom no matching cloud object belongs. */
function noneOf(ctx: Context, { attempt }: JournalEntry): string {
  if (deletes(ctx)) return "";
  return `. If none is correct, allow a new one: ${annotate(ctx.object, `${retryCreateAnnotation}=${attempt}`)}`;
}

/** Returns the way to a different cloud object. With an unchanged key, the next create request ends with a conflict. */
function asAnother({ kind, object }: Context, { attempt }: JournalEntry): string {
  const change = changeableKeys(kind).length > 0 ? `${otherKey(kind)} and ` : "";
  return `${change}permit a new create request: ${annotate(object, `${retryCreateAnnotation}=${attempt}`)}`;
}

/** For rows that can be the result of a request, with a deviation in `why`. Without IDs, the message names no row. */
export function mayBe(ctx: Context, entry: JournalEntry, { ids, why }: { ids: string[]; why: string }): Stalled {
  const [first] = ids;
  const what = first === undefined ? `an existing ${nounOf(ctx.kind)}` : nameOf(ctx.kind, listOf(ids));
  const share = "If yes, the owner of the account can adopt it";
  const adopt = first === undefined ? share : `If yes, set spec.management.adopt.id: "${first}"`;
  const other = deletes(ctx) ? "" : `. If not, ${asAnother(ctx, entry)}`;
  const text = `${unanswered(ctx, entry)}, and perhaps created ${what}: ${why}. The operator creates, changes and deletes nothing until you decide. ${adopt}${other}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/** For rows that appeared after the operator abandoned an attempt. */
export function late(ctx: Context, { attempt }: JournalEntry, ids: string[]): Stalled {
  const what = `an earlier create request of this object perhaps created ${nameOf(ctx.kind, listOf(ids))}: the values are equal, and no object manages it`;
  const ways = deletes(ctx)
    ? "If yes, delete it in the cloud"
    : `The operator creates nothing. If yes, set spec.management.adopt.id: "${ids[0]}". If not, permit a new create request: ${annotate(ctx.object, `${retryCreateAnnotation}=${attempt}`)}`;
  return new Stalled("CreateUncertain", `${what}. ${ways}`, times.quiet);
}

export function untold(ctx: Context, entry: JournalEntry, id: string): Stalled {
  const other = deletes(ctx) ? "" : `. If it belongs to another user, ${asAnother(ctx, entry)}`;
  const what = `the owner of ${nameOf(ctx.kind, id)} is unknown: the create request or another user created it`;
  const text = `${unanswered(ctx, entry)}, and ${what}. The operator creates and deletes nothing. If it belongs to this object, delete it in the cloud${other}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

/** Returns the error for an object whose cloud object can exist, if nothing proves that it belongs to the object. */
export function unproven(ctx: Context, attempt: string, why: string): Stalled {
  const text = `${lostRecord(why)}. The ${nounOf(ctx.kind)} may already exist in the cloud. ${decision(ctx, attempt)}`;
  return new Stalled("CreateUncertain", text, times.quiet);
}

export function lostRecord(why: string): string {
  return `the annotation ${journalAnnotation} with the journal of this object ${why}`;
}

/** For an object with a cloud object in the previously connected account. */
export function elsewhere(ctx: Context, id: string): Stalled {
  const way = deletes(ctx)
    ? ""
    : `. To use ${oneOf(ctx.kind)} of the current account, set spec.management.adopt. To create a new ${nounOf(ctx.kind)}, annotate this object with ${orphanAnnotation}=true, delete it, and apply it again without annotations`;
  const text = `${nameOf(ctx.kind, id)} belongs to the previously connected account. The operator does not change it. Connect the previous account again${way}`;
  return new Stalled("AccountChanged", text);
}

function decision(ctx: Context, attempt: string): string {
  if (deletes(ctx)) return "The operator creates nothing";
  const create = annotate(ctx.object, `${retryCreateAnnotation}=${attempt}`);
  return `The operator creates nothing until you decide. To use an existing ${nounOf(ctx.kind)}, set spec.management.adopt.id. If the ${nounOf(ctx.kind)} does not exist, permit a new create request: ${create}`;
}

export function deletes({ object }: Context): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Returns the command that removes the finalizer during a deletion, for a message. */
export function leaving(object: KubeObject): string {
  return `To delete this object and keep the cloud object: ${annotate(object, `${orphanAnnotation}=true`)}`;
}

export function annotate({ kind, metadata }: KubeObject, what: string): string {
  return `kubectl annotate ${nameForKubectl(kind)} -n ${metadata.namespace} ${metadata.name} --overwrite ${what}`;
}
