/** Observed values and differences, in the form of the spec. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject, memberOf, short, type Difference } from "./differences.ts";
import type { Kind } from "./owned.ts";
import type { NamedReference } from "./schema.ts";
import { specField, valueAt } from "./spec-path.ts";

/**
 * Returns the observed values of a row, in the form of the spec. `observedSpec` later omits values that the spec cannot contain.
 */
export function observedFields(kind: Kind, row: JsonObject): JsonObject {
  const observed: JsonObject = {};
  for (const [name, { observed: have, sensitive, describe = asIs }] of Object.entries(kind.fields)) {
    const known = have && !sensitive ? specField(kind, name) : undefined;
    const value = known?.said(describe(have?.(row)));
    // The API uses an empty value for an absent field. The spec omits the field.
    const isNothing = value === undefined || ((value === "" || isDeepStrictEqual(value, [])) && !known?.fits(value));
    if (known && !isNothing) put(observed, known.path.split("."), value);
  }
  return observed;
}

function put(into: JsonObject, [name = "", ...below]: string[], value: Json): void {
  if (below.length === 0) into[name] = value;
  else {
    if (!Object.hasOwn(into, name)) into[name] = {};
    put(into[name] as JsonObject, below, value);
  }
}

/** Returns the differences between spec and cloud, line by line. Returns an empty list for an absent field of the spec. */
export function lineDifferences(spec: Json | undefined, cloud: Json | undefined, path = ""): Difference[] {
  if (spec === undefined || isDeepStrictEqual(spec, cloud)) return [];
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (isObject(spec) && isObject(cloud)) {
    // The spec describes a list item completely. An omitted member means absence.
    const names = path.endsWith("]") ? new Set([...Object.keys(spec), ...Object.keys(cloud)]) : Object.keys(spec);
    return [...names].flatMap((name) => {
      const wanted = path.endsWith("]") ? (memberOf(spec, name) ?? null) : memberOf(spec, name);
      return lineDifferences(wanted, memberOf(cloud, name) ?? (wanted === null ? null : undefined), at(name));
    });
  }
  if (Array.isArray(spec) && Array.isArray(cloud) && [...spec, ...cloud].every(isObject)) {
    const length = Math.max(spec.length, cloud.length);
    return Array.from({ length }).flatMap((_, index) =>
      lineDifferences(spec[index] ?? null, cloud[index] ?? null, `${path}[${index}]`),
    );
  }
  return [{ field: path, desired: spec, observed: cloud }];
}

/** Returns a description of a natural key for messages, such as `label "web"`. Shortens long values. */
export function describeKey(kind: Kind, spec: Record<string, unknown>, key: JsonObject): string {
  const named = Object.entries(key).map(([field, value]) => {
    const { path, inWords } = wordsOf(kind, field, spec);
    const said = path === undefined ? undefined : valueAt(spec, { path });
    const { name, id } = (isObject(said) ? said : {}) as NamedReference;
    return `${path ?? field} ${(name ?? id) ? JSON.stringify(name ?? id) : inWords(value)}`;
  });
  return named.join(", ").slice(0, 300);
}

/** Limit of lines in one message. The message counts further lines. */
const mostDifferences = 10;

/** Describes differences to users: `spec.label: cloud has "old", spec says "new"`. Shows members that differ, not whole objects. */
export function describeDrift(kind: Kind, found: Difference[], spec?: Record<string, unknown>): string {
  const lines = found.flatMap((one) => linesOf(kind, one, spec));
  const more = lines.length > mostDifferences ? [`and ${lines.length - mostDifferences} more`] : [];
  return [...lines.slice(0, mostDifferences), ...more].join("; ");
}

function linesOf(
  kind: Kind,
  { field, remedy, observed: found, desired }: Difference,
  spec: Record<string, unknown> | undefined,
): string[] {
  const isSensitive = kind.fields[field]?.sensitive === true;
  const { path, said } = wordsOf(kind, field, isSensitive ? spec : undefined);
  const named = path === undefined ? field : `spec.${path}`;
  if (isSensitive) return [`${named}: cloud has another value (sensitive)`];
  if (remedy !== undefined) return [`${field}: ${remedy}`];
  const lines = lineDifferences(said(desired), said(found), named);
  const shown = lines.length > 0 ? lines : [{ field: named, observed: found, desired }];
  return shown.map((one) => `${one.field}: cloud has ${short(one.observed)}, spec says ${short(one.desired)}`);
}

/**
 * Returns the names and values of a difference in the form of the spec. The input can already have this form, if the comparison
 * was line by line.
 */
function wordsOf(kind: Kind, field: string, spec?: Record<string, unknown>): FieldWords {
  const known = specField(kind, field, spec && { spec });
  const { describe: inSpec = asIs } = kind.fields[field] ?? {};
  const said = (value: Json | undefined) => known?.said(inSpec(value)) ?? value;
  return { path: known?.path, said, inWords: (value) => short(said(value)) };
}

interface FieldWords {
  path: string | undefined;
  /** Returns a value in the words of the spec. */
  said: (value: Json | undefined) => Json | undefined;
  inWords: (value: Json | undefined) => string;
}

function asIs(value: Json | undefined): Json | undefined {
  return value;
}
