/** Values derived from the `fields` of a kind: request bodies, differences, and the natural key. */
import { specField } from "./spec-path.ts";
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Request } from "./call.ts";
import type { Difference } from "./differences.ts";
import { isSame, plain } from "./differences.ts";
import { normalOf } from "./normal.ts";
import type { Kind } from "./owned.ts";

type Fields = Pick<Kind, "fields">;
type TableField = Kind["fields"][string];
type FieldInput = Parameters<TableField["desired"]>[0];

/** Returns the body of the create request. */
export function creationBody({ fields }: Fields, wanted: FieldInput): JsonObject {
  return wantedOf(fields, wanted, ({ on }) => on !== "update");
}

/** Returns the fields of the create request that a step also sets. */
export function askedBeside({ steps = {} }: Pick<Kind, "steps">, body: JsonObject = {}): JsonObject {
  const named = new Set(Object.values(steps).flatMap(({ creation = [] }) => creation));
  return Object.fromEntries(Object.entries(body).filter(([field]) => named.has(field)));
}

/** Returns the create request. */
export function creationRequest(kind: Kind, wanted: FieldInput, body = creationBody(kind, wanted)): Request {
  return kind.verbs?.create?.(wanted, body) ?? { method: "POST", path: kind.listPath(wanted), body };
}

/** Returns the natural key: the desired values of the key fields. */
export function naturalKey({ fields }: Fields, wanted: FieldInput): JsonObject {
  return wantedOf(fields, wanted, ({ key }) => key === true);
}

/**
 * Returns the natural key, and the desired values of immutable fields. A row with these values can be the result of a create
 * request.
 */
export function identity({ fields }: Fields, wanted: FieldInput): JsonObject {
  return wantedOf(
    fields,
    wanted,
    ({ key, fixed, observed }) => key === true || (fixed === true && observed !== undefined),
  );
}

/**
 * Returns the desired values with `disrupts` or `replaces`, as texts. Returns undefined for a kind without such fields. Uses only
 * the spec, because the references can be unknown.
 */
export function disruptiveValues(
  { fields }: Fields,
  spec: Record<string, unknown>,
): Record<string, string> | undefined {
  const isRecorded = ({ disrupts, replaces }: TableField): boolean => disrupts === true || replaces === true;
  if (!Object.values(fields).some(isRecorded)) return undefined;
  const wanted = wantedOf(fields, { name: "", namespace: "", spec, refs: {} }, isRecorded);
  return Object.fromEntries(Object.entries(wanted).map(([field, value]) => [field, valueText(value)]));
}

/** Returns the recorded text of a disruptive value. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the mutable fields with a different value in the row. */
export function differencesIn(kind: Fields, wanted: FieldInput, row: JsonObject): Difference[] {
  return differences(kind, wanted, row, isChangeable);
}

/** Returns the immutable fields with a different value in the row. The operator reports them. */
export function fixedDifferencesIn(kind: Fields, wanted: FieldInput, row: JsonObject): Difference[] {
  return differences(kind, wanted, row, (field) => field.observed?.(row, null) !== undefined && !isChangeable(field));
}

function differences({ fields }: Fields, wanted: FieldInput, row: JsonObject, which: (field: TableField) => boolean) {
  return Object.entries(fields).flatMap(([field, one]): Difference[] => {
    const want = which(one) ? one.desired(wanted) : undefined;
    if (want === undefined) return [];
    const observed = plain(one.observed?.(row, want) ?? null);
    const value = plain(want);
    if (isDeepStrictEqual(value, observed)) return [];
    return [{ field, desired: value, observed, ...(one.sensitive && { remedy: "(sensitive)" }) }];
  });
}

/** Returns the key fields of a recorded pattern. The references behind the key can be gone. */
export function keyIn({ fields }: Fields, pattern: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(pattern).filter(([field]) => fields[field]?.key));
}

/** Returns the natural key of a row. Does not use a spec. */
export function shownKey({ fields }: Fields, row: JsonObject): JsonObject {
  const names = Object.entries(fields).flatMap(([field, { key }]) => (key ? [field] : []));
  return shownFields(fields, row, names);
}

/** Returns the observed values of the fields in a pattern. Omits fields that the row does not show. */
export function shownIn({ fields }: Fields, row: JsonObject, pattern: JsonObject): JsonObject {
  return shownFields(fields, row, Object.keys(pattern), pattern);
}

/** Returns true if the row shows every value of the pattern. */
export function shows({ fields }: Fields, row: JsonObject, pattern: JsonObject): boolean {
  for (const field in pattern) {
    const value = pattern[field];
    if (value !== undefined && !isSame(shownValue(fields[field], row, field, value), value)) return false;
  }
  return true;
}

/**
 * Returns the fields of the pattern with a different value in the row, in the normal form of the kind. `wanted`: the desired
 * state, also of a second object in the collection.
 */
export function unlikeIn({ fields }: Fields, row: JsonObject, pattern: JsonObject, wanted?: FieldInput): string[] {
  return Object.entries(pattern).flatMap(([name, value]) => {
    const field = fields[name];
    const found = shownValue(field, row, name, value);
    if (value === undefined || isSame(found, value)) return [];
    const isAlike = found !== undefined && isSame(normalIn(field, found, wanted), normalIn(field, value, wanted));
    return isAlike ? [] : [name];
  });
}

/** Returns true for two natural keys with the same normal form. */
export function isKeyAlike({ fields }: Fields, one: JsonObject, other: JsonObject, wanted?: FieldInput): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const [a, b] = [one[name] ?? null, other[name]];
    return b !== undefined && isSame(normalIn(fields[name], a, wanted), normalIn(fields[name], b, wanted));
  });
}

/** Returns a value of a field in the normal form of the kind. */
export function normalIn(field: TableField | undefined, value: Json, wanted?: FieldInput): Json {
  const normal = field?.normal;
  return normalOf(value, normal && ((text) => normal(text, wanted)));
}

/** Returns true if no update can change the natural key. */
export function isKeyFixed({ fields }: Fields): boolean {
  return Object.values(fields).every((field) => !field.key || !isChangeable(field));
}

/** Returns true if an update can change the field. */
export function isChangeable({ observed, fixed, on }: TableField): boolean {
  return observed !== undefined && !fixed && on !== "create";
}

function wantedOf(fields: Kind["fields"], wanted: FieldInput, which: (field: TableField) => boolean): JsonObject {
  const values: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = which(field) ? field.desired(wanted) : undefined;
    if (value !== undefined) values[name] = plain(value);
  }
  return values;
}

function shownFields(fields: Kind["fields"], row: JsonObject, names: string[], pattern: JsonObject = {}): JsonObject {
  const values = names.map((name) => [name, shownValue(fields[name], row, name, pattern[name])]);
  return plain(Object.fromEntries(values) as JsonObject);
}

/**
 * Returns the observed value of a field. An old journal entry can name a field without an entry in `fields`. The function then returns
 * the value in the row.
 */
function shownValue(
  field: TableField | undefined,
  row: JsonObject,
  name: string,
  wanted: Json | undefined,
): Json | undefined {
  return field?.observed ? field.observed(row, wanted) : row[name];
}

/**
 * Returns the end of a sentence with the cure for a taken name, such as `set another spec.label`. If no field of the key
 * can change, only another object can have another name.
 */
export function otherKey(kind: Kind): string {
  const changeable = changeableKeys(kind);
  return changeable.length > 0
    ? `set another ${changeable.join(" or ")}`
    : `create another ${kind.kind} with a different ${keyFieldsOf(kind).join(" or ")}`;
}

/** Returns the fields of the natural key that a user can change after the creation. */
export function changeableKeys(kind: Kind): string[] {
  return keyFieldsOf(kind).filter((field) => !isImmutable(kind, field.replace(/^spec\./, "")));
}

/** Returns true if the field, or an object around the field, cannot change after creation. */
function isImmutable(kind: Kind, path: string): boolean {
  const names = path.split(".");
  return names.some((_, at) => specField(kind, names.slice(0, at + 1).join("."))?.marks.immutable === true);
}

/** Returns the fields of the spec from which the natural key follows, for messages. */
export function keyFieldsOf(kind: Kind): string[] {
  const keys = Object.keys(kind.fields).filter((name) => kind.fields[name]?.key);
  return keys.map((name) => `spec.${specField(kind, name)?.path ?? name}`);
}

/** Returns the cure of `otherKey` as a sentence. */
export function chooseOtherKey(kind: Kind): string {
  const text = otherKey(kind);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
