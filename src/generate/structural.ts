/**
 * Converts a zod schema to the structural schema of a CRD, or returns the changes that its author must make.
 *
 * The API server enforces the whole schema: types, bounds, patterns, and CEL for rules and immutability. The conversion
 * rejects a rule that the API server cannot enforce. The controller alone therefore enforces no rule of a kind.
 * Source: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions".
 */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { ownName } from "../core/kind/schema.ts";
import {
  joined,
  keyLength,
  located,
  optionalImmutable,
  requiredFromAbove,
  immutability as immutable,
  requiredImmutable,
  together,
  validation,
  type Guard,
  type Validation,
} from "./cel.ts";
import { readSchema, type Source } from "./json-schema.ts";
import type { OpenApi } from "./open-api.ts";
import { stringSchema } from "./strings.ts";
import { mergeUnion } from "./unions.ts";

/** Result of a conversion. Paths are like `spec.rules[].ports`; the values of a map are `spec.filter{}`. */
export interface Structural {
  schema: OpenApi;
  /** Changes that the author must make, with paths. With a problem, the schema is not usable. */
  problems: string[];
  immutable: Set<string>;
  sensitive: Set<string>;
  /** Rules over the whole object, which use the name of the object. */
  rules: Validation[];
}

interface Place {
  path: string;
  result: Omit<Structural, "schema">;
  /** True inside a list or map: CEL cannot find the old value of an item. */
  repeated: boolean;
  /** Optional ancestor. Removing and adding the ancestor would change an immutable field inside. */
  replaceable?: string;
  /** True if an ancestor is immutable. */
  frozen: boolean;
  /** What to do instead of changing an immutable field. */
  remedy: string;
}

/** Returns the schema of `spec` or `status`. Fields of `spec` need descriptions and have no defaults. */
export function structural(schema: z.ZodType, root: "spec" | "status", remedy = ""): Structural {
  const result = { problems: [], immutable: new Set<string>(), sensitive: new Set<string>(), rules: [] };
  const place = { path: root, result, repeated: false, frozen: false, remedy };
  return { ...result, schema: convert(readSchema(schema), place) };
}

function convert(source: Source, place: Place): OpenApi {
  const { source: node, problems } = mergeUnion(source);
  problems.push(...(node.problems ?? []), ...judge(node, place));
  const body = byType(node, place, problems);
  place.result.problems.push(...problems.map((problem) => `${place.path}: ${problem}`));
  const { "x-kubernetes-validations": implied = [], ...rest } = body;
  const rules = (node.rules ?? []).map((rule) => located(validation(rule), Object.keys(rest.properties ?? {})));
  const validations = together(rules, implied);
  return {
    ...(node.description !== undefined && { description: node.description }),
    ...rest,
    ...(node.nullable && { nullable: true }),
    ...(node.enum && { enum: node.enum }),
    ...(validations.length > 0 && { "x-kubernetes-validations": validations }),
  };
}

function judge(node: Source, { path }: Place): string[] {
  const problems: string[] = [];
  const mirrored =
    (node.rules ?? []).filter(({ cel }) => !/\boldSelf\b/.test(cel)).length + (node.listType === "set" ? 1 : 0);
  const unmarked = (node.checks ?? 0) - mirrored;
  if (unmarked > 0)
    problems.push(
      node.freeForm
        ? `${unmarked} refinement(s) of a free form, which the API server cannot see into: check the value in want, and throw Invalid there`
        : `${unmarked} refinement(s) that the API server does not know: use rule() with a CEL expression`,
    );
  if (path.startsWith("spec") && node.default !== undefined)
    problems.push(
      "no default under spec (tools that compare manifests would see a difference): use .optional(), and let want or the API choose",
    );
  if (node.nullable && node.enum) problems.push("the API server takes no null for an enumeration: use .optional()");
  return problems;
}

function byType(node: Source, place: Place, problems: string[]): OpenApi {
  if (node.$ref !== undefined) return refuse(problems, "no recursion and no .meta({ id }): a CRD has no $ref");
  switch (node.type ?? "") {
    case "object":
      if (node.freeForm) return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      return node.additionalProperties === undefined || node.additionalProperties === false
        ? objectSchema(node, place)
        : mapSchema(node, node.additionalProperties, place, problems);
    case "array":
      return listSchema(node, place, problems);
    case "string": {
      const converted = stringSchema(node);
      problems.push(...converted.problems);
      return converted.schema;
    }
    case "number":
    case "integer":
      return numberSchema(node, problems);
    case "boolean":
      return { type: "boolean" };
    default:
      return refuse(
        problems,
        node.problems
          ? undefined
          : "a type is missing: z.any(), z.unknown(), z.never() and intersections have no place in a CRD",
      );
  }
}

function refuse(problems: string[], problem: string | undefined): OpenApi {
  if (problem !== undefined) problems.push(problem);
  return {};
}

function objectSchema(node: Source, place: Place): OpenApi {
  const required = node.required ?? [];
  const properties: Record<string, OpenApi> = {};
  const guards: Guard[] = [];
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const path = `${place.path}.${name}`;
    const optional = !required.includes(name);
    if (path.startsWith("spec") && property.description === undefined)
      place.result.problems.push(`${path}: a description is missing: add .describe("…")`);
    if (property.sensitive) place.result.sensitive.add(path);
    const inner: Place = { ...place, path, frozen: place.frozen || property.immutable === true };
    if (optional && !inner.frozen) inner.replaceable = path;
    properties[name] = convert(property, inner);
    const guard = property.immutable ? immutability(name, property, optional, { ...place, path }) : undefined;
    if (guard?.own.rule.includes("self.metadata")) place.result.rules.push(guard.own);
    else if (guard) guards.push(guard);
  }
  const all = joined(guards, place.path, place.remedy);
  const validations = all ? [all] : guards.filter(({ name }) => !required.includes(name)).map(({ own }) => own);
  for (const { name, own } of all ? [] : guards.filter(({ name }) => required.includes(name)))
    properties[name] = withValidation(properties[name] ?? {}, own);
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties,
    ...(validations.length > 0 && { "x-kubernetes-validations": validations }),
  };
}

/** Returns the rule that makes a field immutable, or undefined if an ancestor is immutable. */
function immutability(name: string, property: Source, optional: boolean, place: Place): Guard | undefined {
  const { path, remedy, result, frozen, repeated, replaceable } = place;
  result.immutable.add(path);
  if (frozen) return undefined;
  if (repeated) result.problems.push(`${path}: an item of a list or map cannot be immutable: mark the list or map`);
  else if (replaceable !== undefined)
    result.problems.push(
      `${path}: immutable inside the optional ${replaceable}, which a user could remove and add again: mark ${replaceable}`,
    );
  if (!optional) return { name, own: requiredImmutable(path, remedy), fromAbove: requiredFromAbove(name) };
  const { absent, properties = {} } = property;
  const names = isDeepStrictEqual(absent, ownName) ? ["spec", name] : [name];
  const given = { names, members: Object.keys(properties), absent };
  const own = optionalImmutable(given, `${path} ${immutable}${remedy}`);
  return { name, own, fromAbove: own.rule };
}

function withValidation(schema: OpenApi, added: Validation): OpenApi {
  return { ...schema, "x-kubernetes-validations": [...(schema["x-kubernetes-validations"] ?? []), added] };
}

function listSchema(node: Source, place: Place, problems: string[]): OpenApi {
  const items = convert(node.items ?? {}, { ...place, path: `${place.path}[]`, repeated: true });
  if (node.maxItems === undefined)
    problems.push("a list needs an upper bound: add .max(n), or use setOf or orderedList");
  if (node.listType === undefined)
    problems.push(
      'a list needs a list type: use setOf or orderedList, or .meta({ listType: "map", listMapKeys: […] })',
    );
  if (node.listType === "set" && ["object", "array"].includes(items.type ?? ""))
    problems.push("a set holds strings, numbers or booleans: use orderedList for objects");
  const keys = node.listType === "map" ? (node.listMapKeys ?? []) : [];
  if (node.listType === "map" && (keys.length === 0 || keys.some((key) => !items.required?.includes(key))))
    problems.push("a list of type map needs listMapKeys, each a required field of its items");
  return {
    type: "array",
    ...(node.listType !== undefined && { "x-kubernetes-list-type": node.listType }),
    ...(keys.length > 0 && { "x-kubernetes-list-map-keys": keys }),
    ...(node.minItems !== undefined && { minItems: node.minItems }),
    ...(node.maxItems !== undefined && { maxItems: node.maxItems }),
    items,
  };
}

function mapSchema(node: Source, values: true | Source, place: Place, problems: string[]): OpenApi {
  if (values === true || node.keys === undefined)
    return refuse(problems, "fields that no schema names: use z.object without .loose() and .catchall(), or z.record");
  const bounds = (node.rules ?? []).map(({ cel }) => /(?:^|&& )size\(self\) <= (\d+)(?:$| &&)/.exec(cel)?.[1]);
  const maxProperties = node.maxProperties ?? bounds.map(Number).find((bound) => !Number.isNaN(bound));
  if (maxProperties === undefined)
    problems.push("a map needs an upper bound: add .meta({ maxProperties: n }), or a rule size(self) <= n");
  const { maxLength, minLength, pattern, enum: names, checks } = node.keys;
  if (pattern !== undefined || names !== undefined || checks || (minLength ?? 0) > 1)
    problems.push("the keys of a map can only have .max(n): use a rule() on the map for other conditions");
  if (maxLength === undefined && node.ownKeys !== true)
    problems.push("the keys of a map need an upper bound: z.string().max(n)");
  return {
    type: "object",
    ...(maxProperties !== undefined && { maxProperties }),
    additionalProperties: convert(values, { ...place, path: `${place.path}{}`, repeated: true }),
    ...(maxLength !== undefined && { "x-kubernetes-validations": [keyLength(maxLength)] }),
  };
}

function numberSchema(node: Source, problems: string[]): OpenApi {
  if (node.allOf) problems.push("several .multipleOf() in one number: write one");
  const whole =
    node.type === "integer" ||
    (node.enum !== undefined && node.enum.every((value) => value === null || Number.isInteger(value)));
  return {
    type: whole ? "integer" : "number",
    ...bound("minimum", node.minimum, node.exclusiveMinimum),
    ...bound("maximum", node.maximum, node.exclusiveMaximum),
    ...(node.multipleOf !== undefined && { multipleOf: node.multipleOf }),
  };
}

/** Returns a bound. Ignores the bounds that zod adds to every integer, the safe integers of JavaScript. */
function bound(side: "minimum" | "maximum", value: number | undefined, exclusive: boolean | undefined): OpenApi {
  if (value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return {};
  return { [side]: value, ...(exclusive && { [side === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"]: true }) };
}
