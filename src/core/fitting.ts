/**
 * What a kind reports, as its status schema allows it: the API server would refuse the whole status for one value.
 *
 * Strings, lists and maps are cut to their bounds; what does not parse even so is left out, alone. The API may answer
 * longer texts and other words than its documents say, and none of that may cost an object its id and its conditions.
 */
import type { z } from "zod";
import type { Json, JsonObject } from "../api/types.ts";
import type { SchemaMarks } from "./schema.ts";

/** The fields of `report` that `schema` allows, cut to fit. Pure; fields that the schema does not know are left out. */
export function fitted(schema: z.ZodObject, report: JsonObject): JsonObject {
  return fitFields(schema as unknown as Schema, report);
}

/** The part of a zod schema that is read here; every class of schema has a definition of its own. */
interface Schema {
  def: {
    type: string;
    innerType?: Schema;
    element?: Schema;
    shape?: Record<string, Schema>;
    keyType?: Schema;
    valueType?: Schema;
    checks?: { _zod: { def: { check: string; maximum?: number } } }[];
  };
  meta: () => SchemaMarks | undefined;
  safeParse: (value: unknown) => { success: boolean };
}

function fit(schema: Schema, value: Json | undefined): Json | undefined {
  const { innerType } = schema.def;
  if (value === undefined) return undefined;
  if (innerType) return value === null ? undefined : fit(innerType, value);
  const cut = cutToBounds(schema, value);
  return cut !== undefined && schema.safeParse(cut).success && isTime(schema, cut) ? cut : undefined;
}

function cutToBounds(schema: Schema, value: Json): Json | undefined {
  switch (schema.def.type) {
    case "string":
      return typeof value === "string" ? cutText(value, boundOf(schema)) : undefined;
    case "array":
      return Array.isArray(value) ? fitItems(schema, value) : undefined;
    case "record":
      return isObject(value) ? fitEntries(schema, value) : undefined;
    case "object":
      return isObject(value) ? fitFields(schema, value) : undefined;
    default:
      return value;
  }
}

function fitFields({ def: { shape = {} } }: Schema, value: JsonObject): JsonObject {
  const fields = Object.entries(shape).map(([name, schema]) => [name, fit(schema, value[name])] as const);
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
}

function fitItems(schema: Schema, items: Json[]): Json[] {
  const { element } = schema.def;
  const { listType, listMapKeys = [] } = schema.meta() ?? {};
  const seen = new Set<string>();
  const fitting = items.flatMap((item) => {
    const one = element ? fit(element, item) : item;
    if (one === undefined) return [];
    // Cut, two items may have become one, which a set and a map allow once.
    const identity = listType === "map" && isObject(one) ? listMapKeys.map((key) => one[key]) : one;
    const again = (listType === "set" || listType === "map") && seen.has(JSON.stringify(identity));
    seen.add(JSON.stringify(identity));
    return again ? [] : [one];
  });
  return fitting.slice(0, boundOf(schema));
}

function fitEntries(schema: Schema, entries: JsonObject): JsonObject {
  const { keyType, valueType } = schema.def;
  const fitting = Object.entries(entries).flatMap(([key, value]) => {
    const one = valueType ? fit(valueType, value) : value;
    return one === undefined || keyType?.safeParse(key).success === false ? [] : [[key, one] as const];
  });
  return Object.fromEntries(fitting.slice(0, schema.meta()?.maxProperties ?? Infinity));
}

/** A cut never leaves half of a character that takes two units. */
function cutText(text: string, bound: number): string {
  return text.length <= bound ? text : text.slice(0, bound).replace(/[\uD800-\uDBFF]$/, "");
}

function boundOf({ def: { checks = [] } }: Schema): number {
  const bounds = checks.flatMap(({ _zod: { def } }) => (def.check === "max_length" ? [def.maximum ?? Infinity] : []));
  return Math.min(Infinity, ...bounds);
}

/** Zod knows no format here; the API server does. */
function isTime(schema: Schema, value: Json): boolean {
  if (schema.meta()?.format !== "date-time") return true;
  return (
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
