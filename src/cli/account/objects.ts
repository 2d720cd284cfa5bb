/**
 * All cloud objects of an account, by kind. A failed list, a missing page or an unreadable row affects only its own cloud
 * objects. The result names each failure.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { HttpError } from "../../api/errors.ts";
import { notExported, withoutBuiltIn } from "../../core/kind/exported.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { kindsOf } from "../../core/kind/reference.ts";
import { collectionOf } from "../../core/model/context.ts";
import { fixedCollectionOf } from "../../core/model/note-claim.ts";
import { readRow } from "../../observe/reading.ts";
import { textOf } from "../failure.ts";
import type { Lists } from "./lists.ts";

export interface CloudObject {
  kind: Kind;
  id: string;
  row: JsonObject;
  /** Path of the list. */
  list: string;
  /** The cloud object in the path of the list, and the reference to it. */
  parent: { reference: string; object: CloudObject } | undefined;
}

/** A part of the account that could not be read. */
export interface Missed {
  what: string;
  why: string;
}

export interface AccountObjects {
  objects: CloudObject[];
  missed: Missed[];
}

/** Returns true for a cloud object that the command needs. */
export type Needs = (kind: Kind, id: string) => boolean;

/**
 * Reads the cloud objects of the kinds and of their parent kinds. `needs`: selects cloud objects. Omits lists in all further cloud
 * objects.
 */
export async function readObjects(
  lists: Lists,
  kinds: readonly Kind[],
  wanted: ReadonlySet<Kind>,
  needs?: Needs,
): Promise<AccountObjects> {
  const needed = withParents(kinds, wanted);
  const missed: Missed[] = [];
  const reading = new Map<string, Promise<CloudObject[]>>();
  const objectsOf = (kind: Kind): Promise<CloudObject[]> => {
    const known = reading.get(kind.kind) ?? readKind(kind);
    reading.set(kind.kind, known);
    return known;
  };
  const readKind = async (kind: Kind): Promise<CloudObject[]> => {
    const parent = parentOf(kinds, kind);
    if (!parent) return readList(lists, kind, undefined, missed, needs);
    const parents = await objectsOf(parent.kind);
    const found = parents.map((object) =>
      readList(lists, kind, { reference: parent.reference, object }, missed, needs),
    );
    return (await Promise.all(found)).flat();
  };
  const all = await Promise.all(needed.map(objectsOf));
  lists.forget();
  return { objects: all.flat(), missed: missed.toSorted((a, b) => (a.what < b.what ? -1 : 1)) };
}

function withParents(kinds: readonly Kind[], wanted: ReadonlySet<Kind>): Kind[] {
  const needed = new Set<Kind>();
  for (const kind of wanted) {
    if (notExported(kind) !== undefined) continue;
    for (let one: Kind | undefined = kind; one; one = parentOf(kinds, one)?.kind) needed.add(one);
  }
  return kinds.filter((kind) => needed.has(kind));
}

/** Returns the kind in the path of the list, and the name of the reference to it. */
function parentOf(kinds: readonly Kind[], kind: Kind): { kind: Kind; reference: string } | undefined {
  if (fixedCollectionOf(kind) !== undefined) return undefined;
  for (const [reference, to] of Object.entries(kind.references ?? {})) {
    if ("secret" in to || !to.contained) continue;
    const parent = kinds.find((one) => kindsOf(to).includes(one.kind));
    if (parent) return { kind: parent, reference };
  }
  return undefined;
}

async function readList(
  lists: Lists,
  kind: Kind,
  parent: CloudObject["parent"],
  missed: Missed[],
  needs?: Needs,
): Promise<CloudObject[]> {
  const refs = parent ? { [parent.reference]: { id: parent.object.id } } : {};
  const path = kind.listPath({ name: "", namespace: "", spec: {}, refs });
  const collection = collectionOf(kind, path);
  const { shownAt } = collection;
  let rows: Json[];
  try {
    rows = shownAt === undefined ? await lists.rows(path) : await only(lists, shownAt, collection.absentIn);
  } catch (error) {
    // The cloud API answers 404 for a part that an object does not have.
    if (parent && error instanceof HttpError && error.status === 404) return [];
    missed.push({ what: `${kind.kind} in ${path}`, why: textOf(error) });
    return [];
  }
  const found = rows.flatMap((answer): CloudObject[] => {
    const reading = readRow(collection, answer);
    if (needs && reading.id !== undefined && !needs(kind, reading.id)) return [];
    if (reading.id !== undefined && "row" in reading.known)
      return [{ kind, id: reading.id, row: reading.known.row, list: path, parent }];
    const why = reading.id === undefined ? reading.reason : unreadable(reading.known);
    missed.push({ what: `${kind.kind} ${reading.id ?? `(a row without an ID in ${path})`}`, why });
    return [];
  });
  return needs ? found : withoutBuiltIn(kind, found);
}

async function only(
  lists: Lists,
  path: string,
  isAbsent: ((answer: Json | undefined) => boolean) | undefined,
): Promise<Json[]> {
  const answer = await lists.one(path);
  return answer === undefined || isAbsent?.(answer) ? [] : [answer];
}

function unreadable(known: object): string {
  const { reason } = "unreadable" in known ? (known.unreadable as { reason: string }) : { reason: "" };
  return `the row cannot be read: ${reason}`;
}
