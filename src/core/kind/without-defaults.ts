/** A spec without the values that a new cloud object has anyway. */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";
import type { Kind } from "./owned.ts";
import type { SchemaMarks } from "./schema.ts";

interface DefaultSchema {
  def: { innerType?: DefaultSchema; shape?: Record<string, DefaultSchema>; type?: string };
  meta: () => SchemaMarks | undefined;
}

/** Returns the spec without defaults: see `initially` and `absent` in schema.ts. `name`: the name of the object. */
export function withoutDefaults({ spec: schema, fields }: Kind, spec: JsonObject, name: string): JsonObject {
  const left = stripped(schema as unknown as DefaultSchema, spec);
  const { label, ...others } = left;
  if (label === undefined || schema.shape["label"] === undefined) return left;
  const { desired } = fields["label"] ?? {};
  return desired?.({ name, namespace: "", spec: others, refs: {} }) === label && isOptional(schema, "label")
    ? others
    : left;
}

function isOptional(schema: Kind["spec"], name: string): boolean {
  return (schema.shape[name] as unknown as DefaultSchema).def.type === "optional";
}

function stripped(of: DefaultSchema, value: JsonObject): JsonObject {
  const { shape = {} } = bare(of).def;
  const members = Object.entries(value).flatMap(([member, inner]): [string, Json][] => {
    const schema = shape[member];
    if (schema?.def.type !== "optional") return [[member, inner]];
    if (isDefault(schema, inner)) return [];
    if (!isObject(inner) || isWhole(schema)) return [[member, inner]];
    const left = stripped(schema, inner);
    return Object.keys(left).length === 0 && Object.keys(inner).length > 0 ? [] : [[member, left]];
  });
  return Object.fromEntries(members);
}

/** Returns true for a value that a user gives as a whole, such as a map. */
function isWhole(schema: DefaultSchema): boolean {
  return bare(schema).def.shape === undefined || marksOf(schema).freeForm === true;
}

function isDefault(schema: DefaultSchema, value: Json): boolean {
  const { absent, initial } = marksOf(schema);
  const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
  return (isEmpty && initial === undefined) || isDeepStrictEqual(value, initial) || isDeepStrictEqual(value, absent);
}

function marksOf(schema: DefaultSchema): SchemaMarks {
  const own = schema.meta() ?? {};
  const { innerType } = schema.def;
  return innerType ? { ...marksOf(innerType), ...own } : own;
}

function bare(schema: DefaultSchema): DefaultSchema {
  return schema.def.innerType ? bare(schema.def.innerType) : schema;
}
