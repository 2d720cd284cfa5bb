/**
 * Normal form of identifiers: the brand word of the cloud API becomes `compute`.
 *
 * The client of the API translates responses. A stored spec can contain both words. The core compares, records and sends only the
 * normal form.
 */
import type { z } from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Described } from "./described.ts";
import { isObject } from "./differences.ts";
import type { SchemaMarks } from "./schema.ts";

/** Translates fields of the API from the brand word to `compute`. Keeps fields that already contain `compute`. */
export type Neutral = (fields: JsonObject) => JsonObject;

type NeutralSpec = Record<string, unknown>;

/** Returns a spec with identifiers in normal form. Keeps values that do not match the schema. */
export function neutralSpec(
  { spec: schema }: Pick<Described, "spec">,
  spec: NeutralSpec,
  neutral: Neutral,
): NeutralSpec {
  return (rewriterOf(schema)?.(spec, neutral) as NeutralSpec | undefined) ?? spec;
}

function neutralId(id: string, neutral: Neutral): string {
  const { id: named } = neutral({ id });
  return typeof named === "string" ? named : id;
}

/** Returns the replacement of a value. */
type Rewriter = (value: unknown, neutral: Neutral) => unknown;

interface NeutralSchema {
  def: {
    innerType?: NeutralSchema;
    element?: NeutralSchema;
    shape?: Record<string, NeutralSchema>;
    valueType?: NeutralSchema;
    options?: NeutralSchema[];
  };
  meta: () => SchemaMarks | undefined;
}

/** Functions by schema. Schemas never change, and most schemas contain no identifier. */
const known = new WeakMap<object, { rewriter: Rewriter | undefined }>();

function rewriterOf(schema: z.ZodType | NeutralSchema): Rewriter | undefined {
  const found = known.get(schema) ?? { rewriter: build(schema as NeutralSchema) };
  known.set(schema, found);
  return found.rewriter;
}

function build(schema: NeutralSchema): Rewriter | undefined {
  const { innerType, element, shape, valueType, options } = schema.def;
  const mark = schema.meta()?.branded;
  if (mark === "identifier") return (value, neutral) => (typeof value === "string" ? neutralId(value, neutral) : value);
  if (mark === "fields") return (value, neutral) => (isObject(value) ? neutral(value) : value);
  if (innerType) return rewriterOf(innerType);
  if (element) return ofEach(rewriterOf(element));
  if (valueType) return ofEach(rewriterOf(valueType));
  if (options) return ofAll(options.map(rewriterOf));
  return shape && ofShape(shape);
}

function ofEach(rewriter: Rewriter | undefined): Rewriter | undefined {
  if (!rewriter) return undefined;
  return (value, neutral) => {
    if (Array.isArray(value)) return value.map((one) => rewriter(one, neutral));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rewriter(one, neutral)]));
  };
}

function ofAll(rewriters: (Rewriter | undefined)[]): Rewriter | undefined {
  const some = rewriters.filter((one) => one !== undefined);
  if (some.length === 0) return undefined;
  return (value, neutral) => some.reduce((before, rewriter) => rewriter(before, neutral), value);
}

function ofShape(shape: Record<string, NeutralSchema>): Rewriter | undefined {
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const rewriter = rewriterOf(schema);
    return rewriter ? [{ name, rewriter }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, neutral) => {
    if (!isObject(value)) return value;
    const given = fields.filter(({ name }) => value[name] !== undefined);
    const rewritten = given.map(({ name, rewriter }): [string, unknown] => [name, rewriter(value[name], neutral)]);
    return { ...value, ...Object.fromEntries<unknown>(rewritten) };
  };
}
