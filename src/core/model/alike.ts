/**
 * Returns the rows that show a natural key in the normal form of its kind. Each creation asks. A comparison of each row with each key
 * would take too long for thousands of creations, so an index finds the rows by the texts and numbers of the key.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { normalIn, shownIn, unlikeIn } from "../kind/fields.ts";
import type { Kind } from "../kind/owned.ts";

/** Returns the IDs and rows that show the key. */
export type Alike = (key: JsonObject) => [string, JsonObject][];

export function alikeIn(kind: Kind, { rows, find }: Pick<Snapshot, "rows" | "find">): Alike {
  return (key) => {
    const names = Object.keys(key).filter((name) => isComparable(kind, name, key[name]));
    const found = find(textOf(kind, names), textIn(kind, names, key));
    return found.flatMap((id): [string, JsonObject][] => {
      const row = rows.get(id);
      return row && unlikeIn(kind, row, key).length === 0 ? [[id, row]] : [];
    });
  };
}

/** …and this row, which the list may not have yet. */
export function withRow(kind: Kind, alike: Alike, id: string, row: JsonObject): Alike {
  return (key) => [
    ...alike(key).filter(([other]) => other !== id),
    ...(unlikeIn(kind, row, key).length === 0 ? ([[id, row]] satisfies [string, JsonObject][]) : []),
  ];
}

/** False for lists and objects, which are compared in another way, and for what a row shows differently by what is asked for. */
function isComparable({ fields }: Kind, name: string, value: Json | undefined): boolean {
  return value !== undefined && typeof value !== "object" && (fields[name]?.have?.length ?? 0) < 2;
}

type TextOf = (row: JsonObject) => string;

const texts = new WeakMap<Kind["fields"], Map<string, TextOf>>();

/** The same function for the same fields: by it the rows are indexed. */
function textOf(kind: Kind, names: string[]): TextOf {
  const known = texts.get(kind.fields) ?? new Map<string, TextOf>();
  texts.set(kind.fields, known);
  const label = names.join();
  const pattern = Object.fromEntries(names.map((name) => [name, null]));
  const text: TextOf = (row) => textIn(kind, names, shownIn(kind, row, pattern));
  const made = known.get(label) ?? text;
  known.set(label, made);
  return made;
}

function textIn({ fields }: Kind, names: string[], values: JsonObject): string {
  return JSON.stringify(names.map((name) => normalIn(fields[name], values[name] ?? null)));
}
