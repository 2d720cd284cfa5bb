/** What the cloud has, and how it differs from a spec, in the words of the spec. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject, short, type Difference } from "./differences.ts";
import type { Kind } from "./owned.ts";
import type { NamedReference } from "./schema.ts";
import { specField, valueAt } from "./spec-path.ts";

/** What a row shows of the fields that a spec may say; `observedSpec` leaves out what just this spec cannot. */
export function observedFields(kind: Kind, row: JsonObject): JsonObject {
  const observed: JsonObject = {};
  for (const [name, { have, sensitive, said = asIs }] of Object.entries(kind.fields)) {
    const known = have && !sensitive ? specField(kind, name) : undefined;
    const value = known?.said(said(have?.(row)));
    // Nothing, in the words of the API: a spec leaves it out.
    const isNothing = value === undefined || ((value === "" || isDeepStrictEqual(value, [])) && !known?.fits(value));
    if (known && !isNothing) put(observed, known.path.split("."), value);
  }
  return observed;
}

function put(into: JsonObject, [name = "", ...below]: string[], value: Json): void {
  if (below.length === 0) into[name] = value;
  else put((into[name] ??= {}) as JsonObject, below, value);
}

/** The differences of what a step says, line by line; none where the spec does not say it. */
export function lineDifferences(spec: Json | undefined, cloud: Json | undefined, path = ""): Difference[] {
  if (spec === undefined || isDeepStrictEqual(spec, cloud)) return [];
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (isObject(spec) && isObject(cloud)) {
    // An item of a list is said as a whole: what it leaves out is not there.
    const names = path.endsWith("]") ? new Set([...Object.keys(spec), ...Object.keys(cloud)]) : Object.keys(spec);
    return [...names].flatMap((name) => {
      const wanted = path.endsWith("]") ? (spec[name] ?? null) : spec[name];
      return lineDifferences(wanted, cloud[name] ?? (wanted === null ? null : undefined), at(name));
    });
  }
  if (Array.isArray(spec) && Array.isArray(cloud) && [...spec, ...cloud].every(isObject)) {
    const length = Math.max(spec.length, cloud.length);
    return Array.from({ length }).flatMap((_, index) =>
      lineDifferences(spec[index] ?? null, cloud[index] ?? null, `${path}[${index}]`),
    );
  }
  return [{ field: path, wanted: spec, found: cloud }];
}

/** For people: `label: "old" → "new"`. Long values are cut, and secrets not shown. */
export function describeChange(kind: Kind, found: Difference[]): string {
  return found
    .map(({ field, remedy, found: from, wanted }) => {
      const { path, inWords } = wordsOf(kind, field);
      return `${path ?? field}: ${remedy ?? `${inWords(from)} → ${inWords(wanted)}`}`;
    })
    .join(", ");
}

/** For people: what names a thing, as the spec says it: `label "web"`. Long values are cut. */
export function describeKey(kind: Kind, spec: Record<string, unknown>, key: JsonObject): string {
  const named = Object.entries(key).map(([field, value]) => {
    const { path, inWords } = wordsOf(kind, field, spec);
    const said = path === undefined ? undefined : valueAt(spec, { path });
    const { name, id } = (isObject(said) ? said : {}) as NamedReference;
    return `${path ?? field} ${(name ?? id) ? JSON.stringify(name ?? id) : inWords(value)}`;
  });
  return named.join(", ").slice(0, 300);
}

/** So many are said; the others are counted. */
const most = 10;

/** Describes differences to users: `spec.label: cloud has "old", spec says "new"`. Shows members that differ, not whole objects. */
export function describeDrift(kind: Kind, found: Difference[]): string {
  const lines = found.flatMap((one) => linesOf(kind, one));
  const more = lines.length > most ? [`and ${lines.length - most} more`] : [];
  return [...lines.slice(0, most), ...more].join("; ");
}

function linesOf(kind: Kind, { field, remedy, found, wanted }: Difference): string[] {
  const { path, said } = wordsOf(kind, field);
  const named = path === undefined ? field : `spec.${path}`;
  if (kind.fields[field]?.sensitive) return [`${named}: cloud has another value (sensitive)`];
  if (remedy !== undefined) return [`${field}: ${remedy}`];
  const lines = lineDifferences(said(wanted), said(found), named);
  const shown = lines.length > 0 ? lines : [{ field: named, found, wanted }];
  return shown.map((one) => `${one.field}: cloud has ${short(one.found)}, spec says ${short(one.wanted)}`);
}

/** A difference is in words of the API, or, found line by line, in those of the spec already. */
function wordsOf(kind: Kind, field: string, spec?: Record<string, unknown>): Words {
  const known = specField(kind, field, spec && { spec });
  const { said: inSpec = asIs } = kind.fields[field] ?? {};
  const said = (value: Json | undefined) => known?.said(inSpec(value)) ?? value;
  return { path: known?.path, said, inWords: (value) => short(said(value)) };
}

interface Words {
  path: string | undefined;
  /** Returns a value in the words of the spec. */
  said: (value: Json | undefined) => Json | undefined;
  inWords: (value: Json | undefined) => string;
}

function asIs(value: Json | undefined): Json | undefined {
  return value;
}
