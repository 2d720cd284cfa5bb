/** Maps the fields of the cloud API to the fields of the spec, so that messages use the names that users write. */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";
import type { Given } from "./live.ts";
import type { SchemaMarks } from "./schema.ts";
import type { Kind } from "./owned.ts";

type Words = Pick<Kind, "spec" | "specFields"> & {
  fields?: Record<string, { specField?: string | string[] | undefined }>;
};

export interface SpecField {
  /** Path in the spec. Examples: `source.backup`, `inbound[0].ports`. */
  path: string;
  marks: SchemaMarks;
  /** Returns a value of the API in the form of the spec. Returns undefined if the spec has no such value. */
  said: (value: Json | undefined) => Json | undefined;
  /** Returns true if the schema accepts the value. */
  fits: (value: Json) => boolean;
}

/**
 * Returns the field of the spec behind `name`, a dotted path in the body of the API. Returns undefined if the spec has no such
 * field.
 */
export function specField(kind: Words, name: string, given?: Partial<Given>): SpecField | undefined {
  const [head = "", ...rest] = wordsIn(name);
  const from = kind.spec as PathSchema;
  const says = kind.fields?.[head]?.specField ?? kind.specFields?.[head] ?? [head, ...partsWith(from, head)];
  if (typeof says === "function") {
    const found = says({ spec: {}, refs: {}, ...given }, rest);
    return found === undefined ? undefined : walk(from, wordsIn(found));
  }
  const paths = [says].flat();
  const path = paths.find((one) => valueAt(given?.spec, { path: one }) !== undefined) ?? paths[0] ?? head;
  return walk(from, [...wordsIn(path), ...rest]);
}

/**
 * Returns the paths of fields with the same name in the parts of a spec. Returns an empty list if the top level has the field.
 */
function partsWith(from: PathSchema, word: string): string[] {
  const { shape = {} } = bare(from).def;
  if (nameIn(shape, word) !== undefined) return [];
  return Object.entries(shape).flatMap(([part, schema]) => {
    const name = nameIn(bare(schema).def.shape ?? {}, word);
    return name === undefined ? [] : [`${part}.${name}`];
  });
}

/** Splits a path like `inbound[0].ports` into its members. The API also writes `ips.1`. */
function wordsIn(path: string): string[] {
  const words = path.split(".").flatMap((word) => word.split(/(?=\[)/));
  return words.map((word) => word.replace(/^\d+$/, "[$&]"));
}

/** Returns the value at a path of a spec. */
export function valueAt(spec: unknown, { path }: Pick<SpecField, "path">): unknown {
  const names = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], spec);
}

interface PathSchema {
  def: { innerType?: PathSchema; element?: PathSchema; shape?: Record<string, PathSchema> };
  meta: () => SchemaMarks | undefined;
  safeParse: (value: unknown) => { success: boolean };
}

/**
 * Follows the words through the schema. Skips unknown words, because the API can nest a field that the spec has at the top level.
 */
function walk(from: PathSchema, words: string[]): SpecField | undefined {
  let path = "";
  let schema = from;
  for (const word of words) {
    const { shape = {}, element } = bare(schema).def;
    const isIndex = word.startsWith("[");
    const name = isIndex ? undefined : nameIn(shape, word);
    const next = isIndex ? element : shape[name ?? ""];
    if (next === undefined) continue;
    path += isIndex ? word : `${path === "" ? "" : "."}${name}`;
    schema = next;
  }
  if (path === "") return undefined;
  const marks = { ...bare(schema).meta(), ...schema.meta() };
  return { path, marks, said: (value) => inWords(schema, value), fits: (value) => schema.safeParse(value).success };
}

/** Returns a value with the field names of the schema. An ID becomes a reference by ID. */
function inWords(of: PathSchema, value: Json | undefined): Json | undefined {
  const { shape, element } = bare(of).def;
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return element ? value.flatMap((one) => inWords(element, one) ?? []) : value;
  if (!shape || bare(of).meta()?.freeForm) return value;
  if (typeof value !== "object") return "id" in shape ? { id: String(value) } : undefined;
  const words: JsonObject = {};
  for (const [word, inner] of Object.entries(value)) {
    const name = nameIn(shape, word);
    const next = name === undefined ? undefined : shape[name];
    const said = next && inWords(next, inner);
    if (name !== undefined && said !== undefined) words[name] = said;
  }
  return words;
}

/** Returns the name of the object that manages a cloud object. Undefined without such an object. */
export type NameOf = (kind: string, id: string) => string | undefined;

/** Returns a value in which references by ID become references by name, if an object manages the cloud object. */
export function withNames(of: z.ZodObject, value: JsonObject, nameOf: NameOf): JsonObject {
  return renamed(of as unknown as PathSchema, value, nameOf) as JsonObject;
}

function renamed(of: PathSchema, value: Json, nameOf: NameOf): Json {
  const { shape = {}, element } = bare(of).def;
  if (Array.isArray(value)) return element ? value.map((one) => renamed(element, one, nameOf)) : value;
  if (!isObject(value)) return value;
  const { refersTo } = { ...bare(of).meta(), ...of.meta() };
  const { id } = value;
  const name = refersTo !== undefined && typeof id === "string" ? nameOf(refersTo, id) : undefined;
  if (name !== undefined) return { name };
  const members = Object.entries(value).map(([member, inner]): [string, Json | undefined] => {
    const next = shape[member];
    return [member, next && inner !== undefined ? renamed(next, inner, nameOf) : inner];
  });
  return Object.fromEntries(members) as JsonObject;
}

function bare(schema: PathSchema): PathSchema {
  return schema.def.innerType ? bare(schema.def.innerType) : schema;
}

/**
 * Returns the field of the spec for a word of the API. Examples: `masterIPs` for `master_ips`, `diskRef` for `disk_id`,
 * `ttlSeconds` for `ttl_sec`.
 */
function nameIn(shape: Record<string, PathSchema>, word: string): string | undefined {
  const folded = word.replaceAll("_", "").toLowerCase();
  const names = Object.keys(shape);
  const exact = names.find((name) => [folded, folded.replace(/id$/, "ref")].includes(name.toLowerCase()));
  const [longer, ...others] = names.filter((name) => name.toLowerCase().startsWith(folded));
  return exact ?? (others.length === 0 ? longer : undefined);
}
