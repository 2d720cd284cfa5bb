/**
 * Converts a zod schema to JSON Schema, with notes for details that JSON Schema would lose: the number of refinements
 * of a node, the schema of map keys, and constructs without a CRD form. `structural.ts` checks the result.
 */
import * as z from "zod";
import type { SchemaMarks } from "../core/kind/schema.ts";

/** Output of zod with three notes: `checks`, `keys`, `problems`. */
export interface Source extends SchemaMarks {
  type?: string;
  enum?: unknown[];
  nullable?: boolean;
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  items?: Source;
  properties?: Record<string, Source>;
  required?: string[];
  additionalProperties?: boolean | Source;
  anyOf?: Source[];
  oneOf?: Source[];
  allOf?: Source[];
  not?: Source;
  $ref?: string;
  /** Number of refinements in code, including wrappers. */
  checks?: number;
  /** Schema of the keys of a map, which OpenAPI 3.0 cannot express. */
  keys?: Source;
  /** Changes that the author must make, found only in the zod schema. */
  problems?: string[];
}

/** Returns the schema of the input, before parsing. An unsupported construct becomes a problem of its node. */
export function readSchema(schema: z.ZodType): Source {
  return z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    unrepresentable: ({ message }) => ({ problems: [message] }),
    override: ({ zodSchema, jsonSchema }) => annotate(zodSchema, jsonSchema as Source),
  }) as Source;
}

type ZodDefinition = z.core.$ZodTypes["_zod"]["def"];

const wrappers = new Set([
  "optional",
  "nullable",
  "nonoptional",
  "readonly",
  "default",
  "prefault",
  "catch",
  "lazy",
  "pipe",
]);

function annotate(schema: z.core.$ZodTypes, json: Source): void {
  const definition = schema._zod.def;
  const inherited = wrappers.has(definition.type);
  const checks = (inherited ? (json.checks ?? 0) : 0) + customChecks(definition);
  const problems = [...(json.problems ?? []), ...problemsOf(schema, definition)];
  Object.assign(json, { checks, ...(problems.length > 0 && { problems }) });
  if (definition.type === "record") json.keys = readSchema(definition.keyType as z.ZodType);
}

function customChecks(definition: ZodDefinition): number {
  return (definition.checks ?? []).filter((check) => check._zod.def.check === "custom").length;
}

function patternsOf(definition: ZodDefinition): RegExp[] {
  const checks = (definition.checks ?? []).map((check) => check._zod.def as { pattern?: RegExp });
  return [definition as { pattern?: RegExp }, ...checks].flatMap(({ pattern }) => pattern ?? []);
}

function problemsOf(schema: z.core.$ZodTypes, definition: ZodDefinition): string[] {
  const problems: string[] = [];
  if (definition.type === "pipe" || definition.type === "catch")
    problems.push(
      "transforms, pipes and .catch() do not reach the API server: keep the schema plain and normalise in want and have",
    );
  const flagged = patternsOf(definition).find(({ flags }) => /[ims]/.test(flags));
  if (flagged) problems.push(`the flags of ${String(flagged)} are lost in a CRD: write the pattern without them`);
  if ("innerType" in definition && rulesOf(schema) && rulesOf(definition.innerType as z.core.$ZodTypes))
    problems.push(`rules both inside and outside of .${definition.type}(): put every rule inside`);
  return problems;
}

function rulesOf(schema: z.core.$ZodTypes): unknown {
  return z.globalRegistry.get(schema)?.["rules"];
}
