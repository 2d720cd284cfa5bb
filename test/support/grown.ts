/** Grows the spec of an example to the largest size that the schema of its kind and the rules of its kind permit. */
import { parse } from "yaml";
import type { Json, JsonObject } from "../../src/api/types.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import { filesOf } from "./sources.ts";

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxLength?: number;
  maxItems?: number;
  enum?: unknown[];
}

interface Definition {
  spec: { names: { kind: string }; versions: [{ schema: { openAPIV3Schema: Schema } }] };
}

const schemas = new Map(
  filesOf("crds/*.yaml").map(({ text }) => {
    const { spec } = parse(text) as Definition;
    return [spec.names.kind, spec.versions[0].schema.openAPIV3Schema.properties?.["spec"] ?? {}];
  }),
);

/** Fields that keep the value of the example: references, so that the operator finds their targets, and fields of the operator. */
const kept = /Refs?$|^(management|notAfter|url)$/;

/** Returns the largest spec, and the name of the example that it grew from. */
export function grown(kind: Kind): { example: string; spec: JsonObject } {
  const all = kind.examples.map(({ name, spec }) => ({ example: name, spec: grownFrom(kind, spec as JsonObject) }));
  const [largest] = all.toSorted((a, b) => sizeOf(b.spec) - sizeOf(a.spec));
  if (!largest) throw new Error(`${kind.kind} has no example`);
  return largest;
}

export function sizeOf(value: Json): number {
  return JSON.stringify(value).length;
}

function grownFrom(kind: Kind, example: JsonObject): JsonObject {
  const schema = schemas.get(kind.kind) ?? {};
  const spec = structuredClone(example);
  const isLegal = (changed: Json): boolean => kind.spec.safeParse(changed).success;
  for (const other of kind.examples)
    for (const [field, value] of Object.entries(other.spec as JsonObject))
      if (!(field in spec) && isLegal({ ...spec, [field]: value })) spec[field] = value;
  for (const [field, of] of Object.entries(schema.properties ?? {})) {
    if (kept.test(field) || spec[field] === undefined) continue;
    spec[field] = grow(spec[field], of, (value) => isLegal({ ...spec, [field]: value }));
  }
  return spec;
}

/** Returns the largest legal value that a value grows to. */
function grow(value: Json, schema: Schema, isLegal: (value: Json) => boolean): Json {
  if (schema.enum || typeof value === "boolean" || typeof value === "number" || value === null) return value;
  if (typeof value === "string") return longest(value, schema.maxLength ?? value.length, isLegal);
  if (Array.isArray(value)) return fullest(value, schema, isLegal);
  const object = { ...value };
  for (const [field, of] of Object.entries(schema.properties ?? {})) {
    const inner = object[field];
    if (inner === undefined || kept.test(field)) continue;
    object[field] = grow(inner, of, (next) => isLegal({ ...object, [field]: next }));
  }
  return object;
}

function longest(text: string, maxLength: number, isLegal: (value: Json) => boolean): string {
  const padded = [`${text} ${"a".repeat(maxLength)}`, text + "a".repeat(maxLength), text + "1".repeat(maxLength)];
  const dotted = `${"abcdefgh.".repeat(Math.ceil(maxLength / 9))}${text}`.slice(-maxLength);
  return [...padded.map((long) => long.slice(0, maxLength)), dotted.replace(/^\./, "a")].find(isLegal) ?? text;
}

/** Grows the first item, and repeats it with other digits and letters. */
function fullest(
  items: Json[],
  { items: of = {}, maxItems = items.length }: Schema,
  isLegal: (value: Json) => boolean,
): Json {
  const [first] = items;
  if (first === undefined) return items;
  const large = grow(first, of, (item) => isLegal([item]));
  const choices = [large, first].flatMap((item) =>
    sizes(maxItems).map((count) => Array.from({ length: count }, (_, index) => varied(item, index, of))),
  );
  return choices.find(isLegal) ?? items;
}

function sizes(most: number): number[] {
  return [...new Set([1, 0.75, 0.5, 0.25, 0.1, 0.05].map((part) => Math.floor(most * part)))].filter(
    (count) => count > 0,
  );
}

/** Returns another value of the same form and size. */
function varied(value: Json, index: number, { enum: values, properties = {} }: Schema): Json {
  if (index === 0 || values) return value;
  if (typeof value === "number") return value + index;
  if (typeof value === "string") return variedText(value, index);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, varied(inner, index, properties[field] ?? {})]),
  );
}

/** Writes the index in place of the digits of an address, or in place of the last letters. */
function variedText(text: string, index: number): string {
  const address = /^(\d+)\.\d+\.\d+\.(\d+.*)$/.exec(text);
  if (address) return `${address[1]}.${Math.floor(index / 250)}.${index % 250}.${address[2]}`;
  const digits = String(index);
  return text.length > digits.length + 4 ? `${text.slice(0, -digits.length)}${digits}` : `${text}${digits}`;
}
