/** Checks before a creation if a cloud object already has the natural key. */
import { nameOf, oneOf } from "../kind/naming.ts";
import { naturalKey, identity, otherKey, chooseOtherKey, shows } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { Stalled } from "../kind/outcome.ts";
import { describeKey } from "../kind/words.ts";
import type { Located } from "../model/context.ts";
import { withFacts } from "../model/context.ts";
import { tagOfAnother } from "../model/tags.ts";
import { wholeList } from "./whole-list.ts";
import { grantsFor } from "./grants.ts";
import { alikeIn, withRow } from "../model/alike.ts";
import type { Alike } from "../model/alike.ts";
import { didNothing } from "../model/attempt.ts";
import type { JournalEntry } from "../model/journal.ts";
import { keptBack, nameFor, ownerOf } from "../model/owners.ts";
import { refuseUnowned } from "./unowned.ts";

export interface Before {
  rows: ReadonlyMap<string, JsonObject>;
  alike: Alike;
}

/**
 * Returns the collection before a creation. Throws `Stalled` or `Waiting` if a list from after the start of the
 * reconcile shows the natural key. Throws `Stalled` if the kind has no names and a matching cloud object has no owner.
 */
export async function untakenBefore(ctx: Located): Promise<Before> {
  const before = await alikeBefore(ctx);
  if (ctx.kind.held) await refuseUnowned(ctx, ctx.kind.held);
  if (!takenIn(ctx, before)) return before;
  const now = await alikeBefore(ctx, true);
  refuseTaken(ctx, now);
  return now;
}

/**
 * Lists the collection. Kinds that cost money, kinds with `returnsExisting`, and kinds without a time of creation need
 * a list from after the start of the reconcile. For other kinds, the list can be as old as a poll: a duplicate costs
 * nothing.
 */
async function alikeBefore(ctx: Located, anew = false): Promise<Before> {
  const { billable, unique, createdField } = ctx.kind;
  const fresh = anew || billable === true || unique === "returnsExisting" || createdField === undefined;
  const after = ctx.startedAt - (fresh ? 0 : ctx.environment.pollMs);
  const snapshot = await wholeList(ctx, ctx.collection, after);
  withFacts(ctx, { unread: [...snapshot.unreadable.keys()] });
  const { rows } = snapshot;
  const alike = alikeIn(ctx.kind, snapshot);
  return { rows, alike: unique === "returnsExisting" ? await withItem(ctx, rows, alike) : alike };
}

/** Adds the row at the path of the natural key. A list can lack a bucket that another user has just created. */
async function withItem(ctx: Located, rows: ReadonlyMap<string, JsonObject>, alike: Alike): Promise<Alike> {
  const id = ctx.collection.idOf(identity(ctx.kind, ctx.desired));
  if (rows.has(id) || ctx.next.id === id) return alike;
  const row = await ctx.session.observer.read(ctx.collection, id, { after: ctx.startedAt, urgent: ctx.urgent });
  return row ? withRow(ctx.kind, alike, id, row) : alike;
}

function takenIn(ctx: Located, { alike }: Before) {
  if (ctx.kind.unique === "several") return undefined;
  const own = replacedBy(ctx)?.id;
  const key = naturalKey(ctx.kind, ctx.desired);
  // A name that differs only in case counts as taken.
  const exact = Object.fromEntries(Object.entries(key).filter(([name]) => !ctx.kind.fields[name]?.caseless));
  return alike(key).find(([id, row]) => id !== own && shows(ctx.kind, row, exact));
}

function refuseTaken(ctx: Located, before: Before): void {
  const taken = takenIn(ctx, before);
  if (!taken) return;
  // The status keeps the refused attempt. Otherwise the operator would, after a restart, take the cloud object of
  // another user for the result of the attempt.
  if (ctx.entry && didNothing(ctx.remembered, ctx.entry)) ctx.next.refusedAttempt = ctx.entry.attempt;
  const [id, row] = taken;
  // A deletion or a rename of the cloud object wakes this object.
  ctx.session.observer.depend(ctx.key, [{ collection: ctx.collection, id }]);
  const key = naturalKey(ctx.kind, ctx.desired);
  const owner = ownerOf(ctx.environment, ctx.object, { collection: ctx.collection.path, id });
  const known = grantsFor(ctx).existing || replacedBy(ctx) !== undefined;
  const isExact = shows(ctx.kind, row, key);
  const how = owner
    ? `${nameFor(ctx, owner)} manages it. ${chooseOtherKey(ctx.kind)}`
    : wayOut(ctx, known ? id : undefined, isExact);
  const tag = owner || !known ? undefined : tagOfAnother(ctx, row);
  const whose = tag === undefined ? "" : `It has the tag ${tag} of another installation. `;
  const named = known ? nameOf(ctx.kind, id) : oneOf(ctx.kind);
  const there = isExact
    ? `${named} with ${describeKey(ctx.kind, ctx.spec, key)}`
    : `${named}, and the cloud API ignores upper and lower case`;
  const what = `the account already has ${there}. The operator creates nothing. ${whose}${how}`;
  throw owner ? keptBack(ctx, owner, what) : new Stalled("Conflict", what);
}

/** Returns the advice for the user. An object with a cloud object cannot adopt another cloud object. */
function wayOut(ctx: Located, id: string | undefined, isExact: boolean): string {
  const own = replacedBy(ctx);
  if (id === undefined) return chooseOtherKey(ctx.kind);
  const how = isExact ? "set" : "create this object again with equal upper and lower case, and with";
  if (!own) return `To adopt it, ${how} spec.management.adopt.id: "${id}". Otherwise ${otherKey(ctx.kind)}`;
  return `The operator could not distinguish it from the replacement of ${nameOf(ctx.kind, own.id)}. ${chooseOtherKey(ctx.kind)}, or rename the cloud object`;
}

/** Returns the cloud object that the creation replaces. The replaced cloud object may have the natural key. */
export function replacedBy(ctx: Located): JournalEntry["retires"] {
  return ctx.renews ?? ctx.entry?.retires;
}
