/** Which field of the spec a word of the cloud API is about, so that people read their own words. */
import type { SchemaMarks } from "./schema.ts";
import type { Kind } from "./owned.ts";

type Words = Pick<Kind, "spec"> & { fields?: Record<string, { says?: string }> };

export interface SpecField {
  /** Such as `source.backup`, or `inbound[0].ports`. */
  path: string;
  marks: SchemaMarks;
}

/** The field of the spec that follows from `name`, a dotted path of the API's body; undefined where none does. */
export function specField({ spec, fields = {} }: Words, name: string): SpecField | undefined {
  const [head = "", ...rest] = name.split(".").flatMap((word) => word.split(/(?=\[)/));
  return walk(spec as Schema, [...(fields[head]?.says?.split(".") ?? [head]), ...rest]);
}

/** What a spec has at such a path. */
export function valueAt(spec: unknown, { path }: Pick<SpecField, "path">): unknown {
  const names = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], spec);
}

interface Schema {
  def: { innerType?: Schema; element?: Schema; shape?: Record<string, Schema> };
  meta: () => SchemaMarks | undefined;
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
  return path === "" ? undefined : { path, marks: { ...bare(schema).meta(), ...schema.meta() } };
}

function bare(schema: Schema): Schema {
  return schema.def.innerType ? bare(schema.def.innerType) : schema;
}

/** `master_ips` is `masterIPs`. */
function nameIn(shape: Record<string, Schema>, word: string): string | undefined {
  const folded = word.replaceAll("_", "").toLowerCase();
  return Object.keys(shape).find((name) => name.toLowerCase() === folded);
}
