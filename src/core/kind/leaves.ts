/** Leaves of a spec, with their classes. */
import type { z } from "zod";
import type { LeafClass } from "./leaf-class.ts";
import type { SchemaMarks } from "./schema.ts";

export interface Leaf {
  /** Path of the leaf. Examples: `devices.sda.diskRef.id`, `rescueDiskIDs[]`, and `management.adopt.filter{}` for a map. */
  path: string;
  /** Class of the leaf. If undefined, the author must classify the leaf, and a test fails. */
  leaf: LeafClass | undefined;
}

interface LeafSchema {
  def: {
    type: string;
    innerType?: LeafSchema;
    element?: LeafSchema;
    shape?: Record<string, LeafSchema>;
  };
  maxValue?: number | null;
  meta: () => SchemaMarks | undefined;
}

/** Returns all leaves of a schema, in the order of its fields. */
export function leavesOf(schema: z.ZodType): Leaf[] {
  return [...leaves(schema as unknown as LeafSchema, "", {})];
}

function* leaves(schema: LeafSchema, path: string, outer: SchemaMarks): Generator<Leaf> {
  const marks: SchemaMarks = { ...schema.meta(), ...outer };
  const { innerType, element, shape } = schema.def;
  if (innerType) yield* leaves(innerType, path, marks);
  else if (element) yield* leaves(element, `${path}[]`, {});
  else if (shape && !marks.freeForm) {
    for (const [name, member] of Object.entries(shape))
      yield* leaves(member, path === "" ? name : `${path}.${name}`, {});
  } else {
    const isMap = schema.def.type === "record";
    yield { path: isMap ? `${path}{}` : path, leaf: classOf(schema, path, marks) };
  }
}

function classOf(schema: LeafSchema, path: string, { leaf, access }: SchemaMarks): LeafClass | undefined {
  if (leaf) return leaf;
  if (access?.of === "ConfigMap") return { is: "configMap", use: "reads" };
  if (access) return { is: "secret", use: access.verb === "get" ? "reads" : "publishes" };
  return isPlain(schema, path) ? { is: "value" } : undefined;
}

/**
 * Returns true for a leaf that cannot name a resource: an enumeration, a boolean, or a number with an upper bound whose field is
 * not an ID.
 */
function isPlain({ def: { type }, maxValue }: LeafSchema, path: string): boolean {
  if (type === "boolean" || type === "enum" || type === "literal") return true;
  const isBounded = typeof maxValue === "number" && maxValue < Number.MAX_SAFE_INTEGER;
  return (type === "int" || type === "number") && isBounded && !/(^id|ID)s?(\[\])?$/.test(path.split(".").at(-1) ?? "");
}
