/**
 * Finds the rows that show a natural key, in the normal form of the kind. An index serves thousands of creations: a
 * comparison of every row for every creation would take too long.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { normalIn, shownIn, unlikeIn } from "../kind/fields.ts";
import type { Kind } from "../kind/owned.ts";

export type Alike = (key: JsonObject) => [string, JsonObject][];

export function alikeIn(kind: Kind, { rows, find }: Pick<Snapshot, "rows" | "find">): Alike {
  return (key) => {
    const names = Object.keys(key).filter((name) => isComparable(kind, name, key[name]));
    const found = find(rowText(kind, names), keyText(kind, names, key));
    return found.flatMap((id): [string, JsonObject][] => {
      const row = rows.get(id);
      return row && unlikeIn(kind, row, key).length === 0 ? [[id, row]] : [];
    });
  };
}

/** Adds a row that the list may not have yet. */
export function withRow(kind: Kind, alike: Alike, id: string, row: JsonObject): Alike {
  return (key) => [
    ...alike(key).filter(([other]) => other !== id),
    ...(unlikeIn(kind, row, key).length === 0 ? ([[id, row]] satisfies [string, JsonObject][]) : []),
  ];
}

/**
 * Returns false for lists and objects, and for a field whose shown form depends on the wanted value. The index has only
 * fixed texts.
 */
function isComparable({ fields }: Kind, name: string, value: Json | undefined): boolean {
  return value !== undefined && typeof value !== "object" && (fields[name]?.observed?.length ?? 0) < 2;
}

type TextOf = (row: JsonObject) => string;

const texts = new WeakMap<Kind["fields"], Map<string, TextOf>>();

/** Returns one function for equal fields: the function identifies the index in the snapshot. */
function rowText(kind: Kind, names: string[]): TextOf {
  const known = texts.get(kind.fields) ?? new Map<string, TextOf>();
  texts.set(kind.fields, known);
  const label = names.join();
  const pattern = Object.fromEntries(names.map((name) => [name, null]));
  const text: TextOf = (row) => keyText(kind, names, shownIn(kind, row, pattern));
  const made = known.get(label) ?? text;
  known.set(label, made);
  return made;
}

function keyText({ fields }: Kind, names: string[], values: JsonObject): string {
  return JSON.stringify(names.map((name) => normalIn(fields[name], values[name] ?? null)));
}
