/**
 * Text about changes of a cloud object, for events, plans and log lines: `label: "old" → "new"`. Lists show added and
 * removed entries. The text never contains a sensitive value, and has a limited length.
 */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "./call.ts";
import { isObject, memberOf } from "./differences.ts";
import type { Difference } from "./differences.ts";
import type { Kind } from "./owned.ts";
import { specField } from "./spec-path.ts";

/** Longest text about the changes of one request. An event has at most 1024 characters. */
const longestText = 900;
const longestValue = 160;
const mostLines = 10;

type Worded = Pick<Kind, "fields" | "spec" | "specFields">;

/** Returns the effect of a call for users. */
export function effectOf(kind: Worded, { changes = [], note }: Pick<Call, "changes" | "note">): string {
  return cut(changes.length > 0 ? describeChanges(kind, changes) : note, longestText);
}

/** Returns the text about differences: the observed value, then the desired value. */
export function describeChanges(kind: Worded, found: readonly Difference[]): string {
  const lines = found.flatMap((one) => changeLines(kind, one));
  const more = lines.length > mostLines ? [`and ${lines.length - mostLines} more changes`] : [];
  return cut([...lines.slice(0, mostLines), ...more].join("; "), longestText);
}

/**
 * Returns the values of a step that differ from the spec. `cloud`: the observed values in the form of the spec. The function ignores
 * members that the spec does not have.
 */
export function changesBetween(spec: JsonObject, cloud: JsonObject): Difference[] {
  return Object.keys(cloud).flatMap((field) => {
    const desired = spec[field];
    const observed = cloud[field];
    return desired === undefined || isDeepStrictEqual(desired, observed) ? [] : [{ field, desired, observed }];
  });
}

function changeLines(kind: Worded, { field, remedy, observed, desired }: Difference): string[] {
  const known = specField(kind, field);
  const path = known?.path ?? field;
  if (kind.fields[field]?.sensitive) return [`${path}: (sensitive)`];
  if (remedy !== undefined) return [`${path}: ${remedy}`];
  const { describe = (value: Json | undefined) => value } = kind.fields[field] ?? {};
  const said = (value: Json | undefined) => (kind.fields[field] ? (known?.said(describe(value)) ?? value) : value);
  return linesBetween(path, said(observed), said(desired));
}

function linesBetween(path: string, from: Json | undefined, to: Json | undefined): string[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isList(from) && isList(to)) return entryLines(path, from ?? [], to ?? []);
  if (isObject(from) && isObject(to))
    return Object.keys(to).flatMap((name) => linesBetween(`${path}.${name}`, memberOf(from, name), to[name]));
  return [`${path}: ${shown(from)} → ${shown(to)}`];
}

/** Returns true for a list, and for an absent list. */
function isList(value: Json | undefined): value is Json[] | undefined {
  return value === undefined || Array.isArray(value);
}

function entryLines(path: string, from: Json[], to: Json[]): string[] {
  const gone = without(from, to);
  const added = without(to, from);
  if (gone.length + added.length === 0) return [`${path}: other order`];
  return [
    ...gone.map((entry) => `${path}: ${shown(entry)} → nothing`),
    ...added.map((entry) => `${path}: nothing → ${shown(entry)}`),
  ];
}

/** Returns the entries that the second list lacks. Counts repeated entries. */
function without(list: Json[], other: Json[]): Json[] {
  const left = [...other];
  return list.filter((entry) => {
    const at = left.findIndex((one) => isDeepStrictEqual(one, entry));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function shown(value: Json | undefined): string {
  return value === undefined || value === null ? "nothing" : cut(JSON.stringify(value), longestValue);
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
