/**
 * Fits the report of a kind to its status schema, because the API server refuses the whole status for one invalid value.
 *
 * Cuts texts, lists and maps to their limits. Omits a value that is still invalid. The API can return longer texts and
 * undocumented words. The object keeps its ID and its conditions.
 */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";
import type { SchemaMarks } from "./schema.ts";

/** Returns the fields of `report` that `schema` permits, cut to the limits. Omits unknown fields. Pure. */
export function fitted(schema: z.ZodObject, report: JsonObject): JsonObject {
  return fieldFitterOf(schema as unknown as FittingSchema)(report);
}

/** Members of a zod schema that the functions read. Every class of zod has its own definition type. */
interface FittingSchema {
  def: {
    type: string;
    format?: string;
    innerType?: FittingSchema;
    element?: FittingSchema;
    shape?: Record<string, FittingSchema>;
    keyType?: FittingSchema;
    valueType?: FittingSchema;
    checks?: { _zod: { def: { check: string; maximum?: number } } }[];
  };
  meta: () => SchemaMarks | undefined;
  safeParse: (value: unknown) => { success: boolean };
}

/** Fits a value to a schema. Returns undefined for an invalid value. */
type Fit<T extends Json = Json> = (value: T) => Json | undefined;

/** Functions by schema. Schemas never change, and every reconcile fits a status. */
const fits = new WeakMap<FittingSchema, Fit>();

function fitOf(schema: FittingSchema): Fit {
  const known = fits.get(schema);
  if (known) return known;
  const { innerType } = schema.def;
  const fit = innerType ? fitOptional(fitOf(innerType)) : fitChecked(schema);
  fits.set(schema, fit);
  return fit;
}

function fitOptional(inner: Fit): Fit {
  return (value) => (value === null ? undefined : inner(value));
}

function fitChecked(schema: FittingSchema): Fit {
  const cut = cutterOf(schema);
  const isTime = schema.meta()?.format === "date-time";
  const { type, format, checks = [] } = schema.def;
  // After the cut, a text without a format needs no further check.
  const proven = type === "string" && format === undefined && checks.every(isBound);
  return (value) => {
    const fitting = cut(value);
    if (fitting === undefined || (isTime && !isTimeText(fitting))) return undefined;
    return proven || schema.safeParse(fitting).success ? fitting : undefined;
  };
}

function cutterOf(schema: FittingSchema): Fit {
  switch (schema.def.type) {
    case "string": {
      const bound = boundOf(schema);
      return (value) => (typeof value === "string" ? cutText(value, bound) : undefined);
    }
    case "array": {
      const fitItems = itemFitterOf(schema);
      return (value) => (Array.isArray(value) ? fitItems(value) : undefined);
    }
    case "record": {
      const fitEntries = entryFitterOf(schema);
      return (value) => (isObject(value) ? fitEntries(value) : undefined);
    }
    case "object": {
      const fitFields = fieldFitterOf(schema);
      return (value) => (isObject(value) ? fitFields(value) : undefined);
    }
    default:
      return (value) => value;
  }
}

const fields = new WeakMap<FittingSchema, (value: JsonObject) => JsonObject>();

function fieldFitterOf(schema: FittingSchema): (value: JsonObject) => JsonObject {
  const known = fields.get(schema);
  if (known) return known;
  const members = Object.entries(schema.def.shape ?? {}).map(([name, member]) => [name, fitOf(member)] as const);
  const fitFields = (value: JsonObject): JsonObject => {
    const fitting: JsonObject = {};
    for (const [name, fit] of members) {
      const found = value[name];
      const one = found === undefined ? undefined : fit(found);
      if (one !== undefined) fitting[name] = one;
    }
    return fitting;
  };
  fields.set(schema, fitFields);
  return fitFields;
}

function itemFitterOf(schema: FittingSchema): Fit<Json[]> {
  const { element } = schema.def;
  const { listType, listMapKeys = [] } = schema.meta() ?? {};
  const bound = boundOf(schema);
  const fitItem = element ? fitOf(element) : (item: Json) => item;
  // The cut can make two items equal. A set or a map must not contain duplicates.
  const once = listType === "map" || listType === "set";
  const identity = (item: Json) => (listType === "map" && isObject(item) ? listMapKeys.map((key) => item[key]) : item);
  return (items) => {
    const seen = new Set<string>();
    const fitting = items.flatMap((item) => {
      const one = fitItem(item);
      if (one === undefined) return [];
      if (!once) return [one];
      const text = JSON.stringify(identity(one));
      const again = seen.has(text);
      seen.add(text);
      return again ? [] : [one];
    });
    return fitting.slice(0, bound);
  };
}

function entryFitterOf(schema: FittingSchema): Fit<JsonObject> {
  const { keyType, valueType } = schema.def;
  const bound = schema.meta()?.maxProperties ?? Infinity;
  const fitValue = valueType ? fitOf(valueType) : (value: Json) => value;
  return (entries) => {
    const fitting = Object.entries(entries).flatMap(([key, value]) => {
      const one = fitValue(value);
      return one === undefined || keyType?.safeParse(key).success === false ? [] : [[key, one] as const];
    });
    return Object.fromEntries(fitting.slice(0, bound));
  };
}

/** Cuts a text. Does not split a surrogate pair. */
function cutText(text: string, bound: number): string {
  return text.length <= bound ? text : text.slice(0, bound).replace(/[\uD800-\uDBFF]$/, "");
}

function boundOf({ def: { checks = [] } }: FittingSchema): number {
  const bounds = checks.flatMap((check) => (isBound(check) ? [check._zod.def.maximum ?? Infinity] : []));
  return Math.min(Infinity, ...bounds);
}

function isBound({ _zod: { def } }: { _zod: { def: { check: string } } }): boolean {
  return def.check === "max_length";
}

/** Returns true for an RFC 3339 time. The API server checks the format, and zod does not. */
function isTimeText(value: Json): boolean {
  return (
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}
