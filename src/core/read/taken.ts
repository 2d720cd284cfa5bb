/** Whether what a creation would be known by is there already: said by a list that is new enough to be believed. */
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

/** What the collection had before a creation. */
export interface Before {
  rows: ReadonlyMap<string, JsonObject>;
  /** In the normal form of the kind. */
  alike: Alike;
}

/**
 * Returns what the collection had before the creation. Throws `Stalled` if something has the name already, which only a list
 * that began after this reconcile proves; or, for a kind whose cloud objects have no name, if one of them has no owner.
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
 * Lists what is there before. For kinds that cost money, kinds whose creation returns an existing cloud object, and kinds without a
 * time of creation, the list began after this reconcile. For other kinds, the list is no older than a poll: a duplicate costs nothing.
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

/** A list may be late: what is there before the intent, and was made by others just now, is shown by its own path. */
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
  // In another case, the name is taken as well.
  const exact = Object.fromEntries(Object.entries(key).filter(([name]) => !at.kind.fields[name]?.caseless));
  return alike(key).find(([id, row]) => id !== own && shows(at.kind, row, exact));
}

function refuseTaken(at: Located, before: Before): void {
  const taken = takenIn(at, before);
  if (!taken) return;
  // After a restart, what others have created meanwhile would be taken for what an attempt created that did nothing.
  const { refusedAttempt } = at.remembered;
  if (refusedAttempt !== undefined && refusedAttempt === at.intent?.attempt) at.next.refusedAttempt = refusedAttempt;
  const [id, row] = taken;
  // Its name is free when that goes, or has another one.
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

/** An object that has a cloud object already adopts none. */
function wayOut(at: Located, id: string | undefined, isExact: boolean): string {
  const own = replacedBy(at);
  if (id === undefined) return chooseOtherKey(at.kind);
  const how = isExact ? "set" : "create this object again with the same case and";
  if (!own) return `To adopt it, ${how} spec.management.adopt.id: "${id}"; otherwise ${otherKey(at.kind)}`;
  return `The replacement of ${own.id} could not be distinguished from it: ${otherKey(at.kind)}, or rename the cloud object`;
}

/** The cloud object in whose place another one is to be: it is ours, and no reason not to create. */
export function replacedBy(at: Located): Intent["retires"] {
  return at.renews ?? at.intent?.retires;
}
