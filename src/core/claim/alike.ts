/**
 * Which rows show a natural key. Each creation asks, so that of thousands at once every row would be compared with every
 * key: rows are looked up by the texts and numbers of the key, and only those found are compared.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { shows, shownIn } from "../kind/fields.ts";
import type { Kind } from "../kind/owned.ts";

/** Ids and rows that show the key. */
export type Alike = (key: JsonObject) => [string, JsonObject][];

export function alikeIn(kind: Kind, { rows, find }: Pick<Snapshot, "rows" | "find">): Alike {
  return (key) => {
    const names = Object.keys(key).filter((name) => isComparable(kind, name, key[name]));
    const found = find(textOf(kind, names), JSON.stringify(names.map((name) => key[name])));
    return found.flatMap((id): [string, JsonObject][] => {
      const row = rows.get(id);
      return row && shows(kind, row, key) ? [[id, row]] : [];
    });
  };
}

/** …and this row, which the list may not have yet. */
export function withRow(kind: Kind, alike: Alike, id: string, row: JsonObject): Alike {
  return (key) => [
    ...alike(key).filter(([other]) => other !== id),
    ...(shows(kind, row, key) ? ([[id, row]] satisfies [string, JsonObject][]) : []),
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
  const text: TextOf = (row) => {
    const shown = shownIn(kind, row, pattern);
    return JSON.stringify(names.map((name) => shown[name]));
  };
  const made = known.get(label) ?? text;
  known.set(label, made);
  return made;
}
