/** Checks before a creation if a cloud object already has the natural key. */
import { naturalKey, identity, otherKey, chooseOtherKey, shows } from "../kind/fields.ts";
import type { JsonObject } from "../../api/types.ts";
import { Stalled } from "../kind/outcome.ts";
import { describeKey } from "../kind/words.ts";
import type { Located } from "../model/context.ts";
import { tagOfAnother } from "../model/tags.ts";
import { wholeList } from "./whole-list.ts";
import { leaveFor } from "./leave.ts";
import { alikeIn, withRow } from "../model/alike.ts";
import type { Alike } from "../model/alike.ts";
import type { Intent } from "../model/intent.ts";
import { keptBack, nameFor, ownerOf } from "../model/ownership.ts";
import { refuseUnowned } from "./unowned.ts";

export interface Before {
  rows: ReadonlyMap<string, JsonObject>;
  alike: Alike;
}

/**
 * Returns the collection before a creation. Throws `Stalled` or `Waiting` if a list from after the start of the
 * reconcile shows the natural key. Throws `Stalled` if the kind has no names and a matching cloud object has no owner.
 */
export async function untakenBefore(at: Located): Promise<Before> {
  const before = await alikeBefore(at);
  if (at.kind.held) await refuseUnowned(at, at.kind.held);
  if (!takenIn(at, before)) return before;
  const now = await alikeBefore(at, true);
  refuseTaken(at, now);
  return now;
}

/**
 * Lists the collection. Kinds that cost money, kinds with `returnsExisting`, and kinds without a time of creation need
 * a list from after the start of the reconcile. For other kinds, the list can be as old as a poll: a duplicate costs
 * nothing.
 */
async function alikeBefore(at: Located, anew = false): Promise<Before> {
  const { billable, unique, createdField } = at.kind;
  const fresh = anew || billable === true || unique === "returnsExisting" || createdField === undefined;
  const after = at.startedAt - (fresh ? 0 : at.environment.sweepMs);
  const snapshot = await wholeList(at, at.collection, after);
  at.unread = [...snapshot.unreadable.keys()];
  const { rows } = snapshot;
  const alike = alikeIn(at.kind, snapshot);
  return { rows, alike: unique === "returnsExisting" ? await withItem(at, rows, alike) : alike };
}

/** Adds the row at the path of the natural key. A list can lack a bucket that another user has just created. */
async function withItem(at: Located, rows: ReadonlyMap<string, JsonObject>, alike: Alike): Promise<Alike> {
  const id = at.collection.idOf(identity(at.kind, at.wanted));
  if (rows.has(id) || at.next.id === id) return alike;
  const row = await at.session.observer.read(at.collection, id, { after: at.startedAt, urgent: at.urgent });
  return row ? withRow(at.kind, alike, id, row) : alike;
}

function takenIn(at: Located, { alike }: Before) {
  if (at.kind.unique === "several") return undefined;
  const own = replacedBy(at)?.id;
  const key = naturalKey(at.kind, at.wanted);
  // A name that differs only in case counts as taken.
  const exact = Object.fromEntries(Object.entries(key).filter(([name]) => !at.kind.fields[name]?.caseless));
  return alike(key).find(([id, row]) => id !== own && shows(at.kind, row, exact));
}

function refuseTaken(at: Located, before: Before): void {
  const taken = takenIn(at, before);
  if (!taken) return;
  // The status keeps the refused attempt. Otherwise the operator would, after a restart, take the cloud object of
  // another user for the result of the attempt.
  const { refusedAttempt } = at.remembered;
  if (refusedAttempt !== undefined && refusedAttempt === at.intent?.attempt) at.next.refusedAttempt = refusedAttempt;
  const [id, row] = taken;
  // A deletion or a rename of the cloud object wakes this object.
  at.session.observer.depend(at.key, [{ collection: at.collection, id }]);
  const key = naturalKey(at.kind, at.wanted);
  const owner = ownerOf(at.environment, at.object, { collection: at.collection.path, id });
  const known = leaveFor(at).existing || replacedBy(at) !== undefined;
  const isExact = shows(at.kind, row, key);
  const how = owner
    ? `It is managed by ${nameFor(at, owner)}; ${otherKey(at.kind)}`
    : wayOut(at, known ? id : undefined, isExact);
  const tag = owner || !known ? undefined : tagOfAnother(at, row);
  const whose = tag === undefined ? "" : `It carries ${tag}, the tag of another installation that uses this account. `;
  const named = known ? id : "a cloud object";
  const there = isExact
    ? `${named} with ${describeKey(at.kind, at.spec, key)} already`
    : `${named} already, and the cloud API does not distinguish case`;
  const what = `${at.collection.path} has ${there}. Nothing is created. ${whose}${how}`;
  throw owner ? keptBack(at, owner, what) : new Stalled("Conflict", what);
}

/** Returns the advice for the user. An object with a cloud object cannot adopt another cloud object. */
function wayOut(at: Located, id: string | undefined, isExact: boolean): string {
  const own = replacedBy(at);
  if (id === undefined) return chooseOtherKey(at.kind);
  const how = isExact ? "set" : "create this object again with the same case and";
  if (!own) return `To adopt it, ${how} spec.management.adopt.id: "${id}"; otherwise ${otherKey(at.kind)}`;
  return `The replacement of ${own.id} could not be distinguished from it: ${otherKey(at.kind)}, or rename the cloud object`;
}

/** Returns the cloud object that the creation replaces. The replaced cloud object may have the natural key. */
export function replacedBy(at: Located): Intent["retires"] {
  return at.renews ?? at.intent?.retires;
}
