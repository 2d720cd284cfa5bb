/**
 * Validates an object by the definition of its kind, as the API server does before it stores the object: unknown fields,
 * defaults, the schema, and CEL rules. An unchanged value stays valid after an update (ratcheting).
 */
import { isDeepStrictEqual } from "node:util";
import type { OpenApi } from "../generate/open-api.ts";
import { celValue, evaluate } from "./cel.ts";

/** A reason to refuse an object. `field`: path such as `spec.rules[0].ports`. */
export interface Problem {
  field: string;
  message: string;
}

type Values = Record<string, unknown>;

/** Returns the value with the defaults of the schema, without null in fields that cannot be null. */
export function withDefaults(schema: OpenApi | undefined, value: unknown): unknown {
  if (!schema || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((one) => withDefaults(schema.items, one));
  const { properties = {}, additionalProperties } = schema;
  const isKept = ([name, one]: [string, unknown]): boolean => {
    const known = properties[name];
    return one !== null || known === undefined || known.nullable === true;
  };
  const given = Object.entries(value)
    .filter(isKept)
    .map(([name, one]) => [name, withDefaults(properties[name] ?? additionalProperties, one)] as const);
  const names = new Set(given.map(([name]) => name));
  const absent = Object.entries(properties).flatMap(([name, { default: fallback }]) =>
    fallback === undefined || names.has(name) ? [] : [[name, structuredClone(fallback)] as const],
  );
  return Object.fromEntries([...given, ...absent]);
}

/** Returns the unknown fields of a value. kubectl refuses them, because the API server would remove them. */
export function unknownFields(schema: OpenApi | undefined, value: unknown, path: string): string[] {
  if (!schema || value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap((one, at) => unknownFields(schema.items, one, `${path}[${at}]`));
  const { properties, additionalProperties } = schema;
  if (schema["x-kubernetes-preserve-unknown-fields"]) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const known = properties?.[name] ?? additionalProperties;
    return known ? unknownFields(known, one, below(path, name)) : [below(path, name)];
  });
}

/** Returns the problems of a value with defaults. `before`: the stored value; undefined for a new object. */
export function problemsOf(schema: OpenApi, value: unknown, before: unknown, path = ""): Problem[] {
  const found = schemaProblems(schema, value, before, path);
  return found.some(isBlocking) ? found : [...found, ...ruleProblems(schema, value, before, path)];
}

/** Returns true for a problem after which the API server evaluates no rules. */
function isBlocking({ message }: Problem): boolean {
  return /^(Required value|Too long|Too many|Unsupported value)|: must be of type /.test(message);
}

function schemaProblems(schema: OpenApi, value: unknown, before: unknown, path: string): Problem[] {
  if (value === null && schema.nullable) return [];
  if (before !== undefined && isDeepStrictEqual(value, before)) return [];
  const wrong = typeProblem(schema, value);
  if (wrong !== undefined) return [{ field: path, message: wrong }];
  const own = boundProblems(schema, value).map((message) => ({ field: path, message }));
  const { required = [] } = schema;
  const missing = isMap(value) ? required.filter((name) => value[name] === undefined) : [];
  return [
    ...own,
    ...duplicates(schema, value, path),
    ...missing.map((name) => ({ field: below(path, name), message: "Required value" })),
    ...children(schema, value, before, path).flatMap((one) =>
      schemaProblems(one.schema, one.value, one.before, one.path),
    ),
  ];
}

function ruleProblems(schema: OpenApi, value: unknown, before: unknown, path: string): Problem[] {
  const self = { self: celValue(schema, value) };
  const old = before === undefined ? undefined : { oldSelf: celValue(schema, before) };
  const own = (schema["x-kubernetes-validations"] ?? []).flatMap((validation): Problem[] => {
    const { rule, message, messageExpression, fieldPath = "" } = validation;
    const isTransition = /\boldSelf\b/.test(rule);
    if (isTransition && !old) return [];
    const variables = { ...self, ...old };
    if (evaluate(rule, variables) === true) return [];
    const said = messageExpression === undefined ? message : String(evaluate(messageExpression, variables));
    return [{ field: `${path}${fieldPath}`.replace(/^\./, ""), message: said }];
  });
  const below = children(schema, value, before, path).flatMap((one) =>
    ruleProblems(one.schema, one.value, one.before, one.path),
  );
  return [...own, ...below];
}

interface Child {
  schema: OpenApi;
  value: unknown;
  before: unknown;
  path: string;
}

function children(schema: OpenApi, value: unknown, before: unknown, path: string): Child[] {
  const { items, properties, additionalProperties } = schema;
  if (Array.isArray(value))
    return items
      ? (value as unknown[]).map((one, at) => ({
          schema: items,
          value: one,
          before: correlated(schema, one, before),
          path: `${path}[${at}]`,
        }))
      : [];
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const known = properties?.[name] ?? additionalProperties;
    const old = isMap(before) ? before[name] : undefined;
    return known && one !== undefined ? [{ schema: known, value: one, before: old, path: below(path, name) }] : [];
  });
}

/** Returns the old item with the same keys. The API server finds old items only in lists with keys. */
function correlated(schema: OpenApi, item: unknown, before: unknown): unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (!keys || !isMap(item) || !Array.isArray(before)) return undefined;
  return before.find((one) => isMap(one) && keys.every((key) => isDeepStrictEqual(one[key], item[key])));
}

function typeProblem({ type, nullable }: OpenApi, value: unknown): string | undefined {
  if (value === null && nullable) return undefined;
  const actual = typeOf(value);
  if (type === undefined || type === actual || (type === "number" && actual === "integer")) return undefined;
  return `Invalid value: ${JSON.stringify(actual)}: must be of type ${type}: ${JSON.stringify(actual)}`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function boundProblems(schema: OpenApi, value: unknown): string[] {
  const shown = `Invalid value: ${JSON.stringify(value)}`;
  const named = schema.enum && !schema.enum.some((one) => isDeepStrictEqual(one, value));
  const listed = schema.enum?.map((one) => JSON.stringify(one)).join(", ");
  return [
    ...(named ? [`Unsupported value: ${JSON.stringify(value)}: supported values: ${listed}`] : []),
    ...(typeof value === "string" ? textProblems(schema, value, shown) : []),
    ...(typeof value === "number" ? numberProblems(schema, value, shown) : []),
    ...(Array.isArray(value) ? lengthProblems(schema, value) : []),
    ...(isMap(value) ? mapProblems(schema, value) : []),
  ];
}

function textProblems(
  { minLength, maxLength, pattern, allOf, format }: OpenApi,
  text: string,
  shown: string,
): string[] {
  const length = Array.from(text).length;
  const patterns = [pattern, ...(allOf ?? []).map((one) => one.pattern)].filter((one) => one !== undefined);
  const missed = patterns.filter((one) => !new RegExp(one, "u").test(text));
  return [
    ...(minLength !== undefined && length < minLength ? [`${shown}: should be at least ${minLength} chars long`] : []),
    ...(maxLength !== undefined && length > maxLength ? [`Too long: may not be more than ${maxLength} bytes`] : []),
    ...missed.map((one) => `${shown}: should match '${one}'`),
    ...(format === "date-time" && Number.isNaN(Date.parse(text)) ? [`${shown}: must be of type date-time`] : []),
  ];
}

function numberProblems({ minimum, maximum }: OpenApi, value: number, shown: string): string[] {
  return [
    ...(minimum !== undefined && value < minimum ? [`${shown}: should be greater than or equal to ${minimum}`] : []),
    ...(maximum !== undefined && value > maximum ? [`${shown}: should be less than or equal to ${maximum}`] : []),
  ];
}

function lengthProblems({ minItems, maxItems }: OpenApi, list: unknown[]): string[] {
  return [
    ...(maxItems !== undefined && list.length > maxItems
      ? [`Too many: ${list.length}: must have at most ${maxItems} items`]
      : []),
    ...(minItems !== undefined && list.length < minItems ? [`should have at least ${minItems} items`] : []),
  ];
}

/** Returns the repeated entries of a set, or of a list with keys. */
function duplicates(schema: OpenApi, list: unknown, path: string): Problem[] {
  const keys = schema["x-kubernetes-list-map-keys"];
  const type = schema["x-kubernetes-list-type"];
  if (!Array.isArray(list) || (type !== "set" && type !== "map")) return [];
  const keyOf = (one: unknown): string =>
    JSON.stringify(keys && isMap(one) ? Object.fromEntries(keys.map((key) => [key, one[key] ?? null])) : one);
  const all = list.map(keyOf);
  const second = (one: string): number => all.indexOf(one, all.indexOf(one) + 1);
  return all.flatMap((one, at) =>
    second(one) === at ? [{ field: `${path}[${at}]`, message: `Duplicate value: ${one}` }] : [],
  );
}

function mapProblems({ minProperties, maxProperties }: OpenApi, map: Values): string[] {
  const count = Object.keys(map).length;
  return [
    ...(maxProperties !== undefined && count > maxProperties
      ? [`Too many: ${count}: must have at most ${maxProperties} items`]
      : []),
    ...(minProperties !== undefined && count < minProperties
      ? [`should have at least ${minProperties} properties`]
      : []),
  ];
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
