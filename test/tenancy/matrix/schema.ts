/** Questions to the schema of a spec. */
import type { Kind } from "../../../src/core/kind/owned.ts";
import type { SchemaMarks } from "../../../src/core/kind/schema.ts";
import { namesIn } from "./paths.ts";

interface Schema {
  def: {
    type: string;
    innerType?: Schema;
    element?: Schema;
    shape?: Record<string, Schema>;
    entries?: Record<string, string>;
  };
  meta: () => SchemaMarks | undefined;
}

/** Returns the schemas around a schema of a member, the member's own schema last. */
function layers(schema: Schema): Schema[] {
  const { innerType, element } = schema.def;
  const inner = innerType ?? element;
  return inner ? [schema, ...layers(inner)] : [schema];
}

/** Returns the schemas of the names in a path. */
function membersOf({ spec }: Pick<Kind, "spec">, path: string): Schema[] {
  const found: Schema[] = [];
  let at = spec as unknown as Schema;
  for (const name of namesIn(path)) {
    const member = layers(at).at(-1)?.def.shape?.[name];
    if (!member) break;
    found.push(member);
    at = member;
  }
  return found;
}

/** Returns true if the API server refuses to change the leaf after the object was created. */
export function isImmutable(kind: Pick<Kind, "spec">, path: string): boolean {
  return membersOf(kind, path).some((member) => layers(member).some((layer) => layer.meta()?.immutable));
}

/** Returns the choices of every member of the object at a path; the empty path is the spec. */
export function choicesAt(kind: Pick<Kind, "spec">, path: string): { name: string; values: unknown[] }[] {
  const at = path === "" ? (kind.spec as unknown as Schema) : membersOf(kind, path).at(-1);
  const shape = (at && layers(at).at(-1)?.def.shape) ?? {};
  return Object.entries(shape).flatMap(([name, member]) => {
    const { type, entries } = layers(member).at(-1)!.def;
    return type === "enum" && entries ? [{ name, values: Object.values(entries) }] : [];
  });
}

/** Returns every choice of each member of the spec that is a list of choices. */
export function allChoices({ spec }: Pick<Kind, "spec">): Record<string, unknown[]> {
  const shape = (spec as unknown as Schema).def.shape ?? {};
  const found = Object.entries(shape).flatMap(([name, member]) => {
    const all = layers(member);
    const { type, entries } = all.at(-1)!.def;
    const isList = all.some(({ def }) => def.element);
    return isList && type === "enum" && entries ? [[name, Object.values(entries)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Returns true if rows of the kind have a field that is no list and no object, so that a filter can compare the field. */
export function hasPlainField({ wire }: Pick<Kind, "wire">): boolean {
  const members = Object.values((wire as unknown as Schema).def.shape ?? {}).flatMap(layers);
  return members.some(({ def }) => ["string", "number", "int", "boolean", "literal", "enum"].includes(def.type));
}

/** Returns true if the schema of the kind accepts the spec. */
export function isAccepted({ spec: schema }: Pick<Kind, "spec">, spec: object): boolean {
  return schema.safeParse(spec).success;
}
