/** Which field of the spec a word of the cloud API is about, so that people read their own words. */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";
import type { Given } from "./live.ts";
import type { SchemaMarks } from "./schema.ts";
import type { Kind } from "./owned.ts";

type Words = Pick<Kind, "spec" | "says"> & { fields?: Record<string, { says?: string | string[] }> };

export interface SpecField {
  /** Such as `source.backup`, or `inbound[0].ports`. */
  path: string;
  marks: SchemaMarks;
  /** A value of the API in the words of the spec; undefined where it says nothing. */
  said: (value: Json | undefined) => Json | undefined;
  /** Whether a spec may say it. */
  fits: (value: Json) => boolean;
}

/** The field of the spec that `name`, a dotted path of the API's body, follows from; undefined where it follows from none. */
export function specField(kind: Words, name: string, given?: Partial<Given>): SpecField | undefined {
  const [head = "", ...rest] = wordsIn(name);
  const from = kind.spec as Schema;
  const says = kind.fields?.[head]?.says ?? kind.says?.[head] ?? [head, ...partsWith(from, head)];
  if (typeof says === "function") {
    const found = says({ spec: {}, refs: {}, ...given }, rest);
    return found === undefined ? undefined : walk(from, wordsIn(found));
  }
  const paths = [says].flat();
  const path = paths.find((one) => valueAt(given?.spec, { path: one }) !== undefined) ?? paths[0] ?? head;
  return walk(from, [...wordsIn(path), ...rest]);
}

/** A field of that name in each part of a spec that does not have it at its top. */
function partsWith(from: Schema, word: string): string[] {
  const { shape = {} } = bare(from).def;
  if (nameIn(shape, word) !== undefined) return [];
  return Object.entries(shape).flatMap(([part, schema]) => {
    const name = nameIn(bare(schema).def.shape ?? {}, word);
    return name === undefined ? [] : [`${part}.${name}`];
  });
}

/** `inbound[0].ports` by its members; the API writes `ips.1` as well. */
function wordsIn(path: string): string[] {
  const words = path.split(".").flatMap((word) => word.split(/(?=\[)/));
  return words.map((word) => word.replace(/^\d+$/, "[$&]"));
}

/** What a spec has at such a path. */
export function valueAt(spec: unknown, { path }: Pick<SpecField, "path">): unknown {
  const names = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], spec);
}

interface Schema {
  def: { innerType?: Schema; element?: Schema; shape?: Record<string, Schema> };
  meta: () => SchemaMarks | undefined;
  safeParse: (value: unknown) => { success: boolean };
}

/** Words that the schema does not have are left out: the API may keep in a part of its own what a spec has at the top. */
function walk(from: Schema, words: string[]): SpecField | undefined {
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

/** The same value with the names of the schema; what the cloud has an id of is a reference by that id. */
function inWords(of: Schema, value: Json | undefined): Json | undefined {
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

/** The name of the object of a kind that manages what has this id. */
export type NameOf = (kind: string, id: string) => string | undefined;

/** The same value, in which references by the id of what an object manages are references by its name. */
export function withNames(of: z.ZodObject, value: JsonObject, nameOf: NameOf): JsonObject {
  return renamed(of as unknown as Schema, value, nameOf) as JsonObject;
}

function renamed(of: Schema, value: Json, nameOf: NameOf): Json {
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

function bare(schema: Schema): Schema {
  return schema.def.innerType ? bare(schema.def.innerType) : schema;
}

/** `master_ips` is `masterIPs`, `disk_id` may be `diskRef`, and `ttl_sec` `ttlSeconds`. */
function nameIn(shape: Record<string, Schema>, word: string): string | undefined {
  const folded = word.replaceAll("_", "").toLowerCase();
  const names = Object.keys(shape);
  const exact = names.find((name) => [folded, folded.replace(/id$/, "ref")].includes(name.toLowerCase()));
  const [longer, ...others] = names.filter((name) => name.toLowerCase().startsWith(folded));
  return exact ?? (others.length === 0 ? longer : undefined);
}
