/** What follows from a kind's table of fields: bodies, differences, and what identifies a cloud object. */
import { specField } from "./spec-path.ts";
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Request } from "./call.ts";
import type { Difference } from "./differences.ts";
import { isSame, plain } from "./differences.ts";
import { normalOf } from "./normal.ts";
import type { Kind } from "./owned.ts";

type Fields = Pick<Kind, "fields">;
type Field = Kind["fields"][string];
type Wanted = Parameters<Field["want"]>[0];

/** The body of the creation. */
export function creationBody({ fields }: Fields, wanted: Wanted): JsonObject {
  return wantedOf(fields, wanted, ({ on }) => on !== "update");
}

/** Those fields of a creation's body that steps ask for, too. */
export function askedBeside({ steps = {} }: Pick<Kind, "steps">, body: JsonObject = {}): JsonObject {
  const named = new Set(Object.values(steps).flatMap(({ creation = [] }) => creation));
  return Object.fromEntries(Object.entries(body).filter(([field]) => named.has(field)));
}

/** The request that creates it. */
export function creationRequest(kind: Kind, wanted: Wanted, body = creationBody(kind, wanted)): Request {
  return kind.verbs?.create?.(wanted, body) ?? { method: "POST", path: kind.at(wanted), body };
}

/** The values that name the thing. */
export function naturalKey({ fields }: Fields, wanted: Wanted): JsonObject {
  return wantedOf(fields, wanted, ({ key }) => key === true);
}

/** The natural key, and the values of the creation that cannot change: what a row must show to be the one that was asked for. */
export function identity({ fields }: Fields, wanted: Wanted): JsonObject {
  return wantedOf(fields, wanted, ({ key, fixed, have }) => key === true || (fixed === true && have !== undefined));
}

/** The values whose change disrupts or replaces; undefined for a kind without any. They follow from the spec alone. */
export function disruptiveValues(
  { fields }: Fields,
  spec: Record<string, unknown>,
): Record<string, string> | undefined {
  const isRecorded = ({ disrupts, replaces }: Field): boolean => disrupts === true || replaces === true;
  if (!Object.values(fields).some(isRecorded)) return undefined;
  const wanted = wantedOf(fields, { name: "", namespace: "", spec, refs: {} }, isRecorded);
  return Object.fromEntries(Object.entries(wanted).map(([field, value]) => [field, valueText(value)]));
}

/** How a value whose change disrupts is recorded. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The fields that an update can change and that the row shows otherwise than wanted. */
export function differencesIn(kind: Fields, wanted: Wanted, row: JsonObject): Difference[] {
  return differences(kind, wanted, row, isChangeable);
}

/** The fields that no update can change and that the row shows otherwise than wanted. The operator reports them. */
export function fixedDifferencesIn(kind: Fields, wanted: Wanted, row: JsonObject): Difference[] {
  return differences(kind, wanted, row, (field) => field.have?.(row, null) !== undefined && !isChangeable(field));
}

function differences({ fields }: Fields, wanted: Wanted, row: JsonObject, which: (field: Field) => boolean) {
  return Object.entries(fields).flatMap(([field, one]): Difference[] => {
    const want = which(one) ? one.want(wanted) : undefined;
    if (want === undefined) return [];
    const found = plain(one.have?.(row, want) ?? null);
    const value = plain(want);
    if (isDeepStrictEqual(value, found)) return [];
    return [{ field, wanted: value, found, ...(one.sensitive && { remedy: "(sensitive)" }) }];
  });
}

/** What names the thing, as an intent says it: the references that it follows from may be gone. */
export function keyIn({ fields }: Fields, pattern: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(pattern).filter(([field]) => fields[field]?.key));
}

/** What names the thing, as the row shows it, whatever a spec asks for. */
export function shownKey({ fields }: Fields, row: JsonObject): JsonObject {
  const names = Object.entries(fields).flatMap(([field, { key }]) => (key ? [field] : []));
  return shownOf(fields, row, names);
}

/** The fields that a pattern names, as the row shows them; what it does not show is left out. */
export function shownIn({ fields }: Fields, row: JsonObject, pattern: JsonObject): JsonObject {
  return shownOf(fields, row, Object.keys(pattern), pattern);
}

/** True where the row shows every value of the pattern. */
export function shows({ fields }: Fields, row: JsonObject, pattern: JsonObject): boolean {
  for (const field in pattern) {
    const value = pattern[field];
    if (value !== undefined && !isSame(shown(fields[field], row, field, value), value)) return false;
  }
  return true;
}

/**
 * Returns the fields of the pattern that the row shows otherwise, compared in the normal form of the kind. `wanted` can be that of
 * another object in the same collection.
 */
export function unlikeIn({ fields }: Fields, row: JsonObject, pattern: JsonObject, wanted?: Wanted): string[] {
  return Object.entries(pattern).flatMap(([name, value]) => {
    const field = fields[name];
    const found = shown(field, row, name, value);
    if (value === undefined || isSame(found, value)) return [];
    const isAlike = found !== undefined && isSame(normalIn(field, found, wanted), normalIn(field, value, wanted));
    return isAlike ? [] : [name];
  });
}

/** Returns true for two natural keys that are the same in the normal form of the kind. */
export function isKeyAlike({ fields }: Fields, one: JsonObject, other: JsonObject, wanted?: Wanted): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const [a, b] = [one[name] ?? null, other[name]];
    return b !== undefined && isSame(normalIn(fields[name], a, wanted), normalIn(fields[name], b, wanted));
  });
}

/** Returns a value of a field in the normal form of the kind. */
export function normalIn(field: Field | undefined, value: Json, wanted?: Wanted): Json {
  const normal = field?.normal;
  return normalOf(value, normal && ((text) => normal(text, wanted)));
}

/** True where no field of the natural key can be updated. */
export function isKeyFixed({ fields }: Fields): boolean {
  return Object.values(fields).every((field) => !field.key || !isChangeable(field));
}

/** True where an update can change the field. */
export function isChangeable({ have, fixed, on }: Field): boolean {
  return have !== undefined && !fixed && on !== "create";
}

function wantedOf(fields: Kind["fields"], wanted: Wanted, which: (field: Field) => boolean): JsonObject {
  const values: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = which(field) ? field.want(wanted) : undefined;
    if (value !== undefined) values[name] = plain(value);
  }
  return values;
}

function shownOf(fields: Kind["fields"], row: JsonObject, names: string[], pattern: JsonObject = {}): JsonObject {
  const values = names.map((name) => [name, shown(fields[name], row, name, pattern[name])]);
  return plain(Object.fromEntries(values) as JsonObject);
}

/** What an intent names and the table does not know (an earlier version wrote it) is compared as the row has it. */
function shown(field: Field | undefined, row: JsonObject, name: string, wanted: Json | undefined): Json | undefined {
  return field?.have ? field.have(row, wanted) : row[name];
}

/** Returns the end of a sentence that says how to ask for another cloud object. */
export function otherKey(kind: Kind): string {
  return `set another ${keyFieldsOf(kind).join(" or ")}`;
}

/** Returns the fields of the spec from which the natural key follows, for messages. */
export function keyFieldsOf(kind: Kind): string[] {
  const keys = Object.keys(kind.fields).filter((name) => kind.fields[name]?.key);
  return keys.map((name) => `spec.${specField(kind, name)?.path ?? name}`);
}

/** Returns the sentence that says how to ask for another cloud object. */
export function chooseOtherKey(kind: Kind): string {
  const text = otherKey(kind);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
