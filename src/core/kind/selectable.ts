/**
 * Fields by which the API server selects objects with a certain reference.
 *
 * A CustomResourceDefinition can declare eight scalar fields as selectable. A reference inside a list has no selectable field, and
 * ComputeConfig has too many references to disks. The operator lists objects of these kinds without a selector.
 */
import type { Described } from "./described.ts";
import { heldKindsOf } from "./reference.ts";
import type { References } from "./reference.ts";
import { memoize } from "./memoize.ts";
import type { SchemaMarks } from "./schema.ts";

/** Paths of one reference, such as `spec.domainRef.name`. */
export interface SelectableReference {
  name: string;
  id: string;
}

/** The API server permits no more selectable fields in one version of a definition. */
export const mostSelectable = 8;

type Referring = Pick<Described, "kind" | "spec"> & { references?: References<Record<string, unknown>> | undefined };

/** Returns the selectable references of a kind that hold, by referenced kind. The map has no entry for references without selectable fields. */
export const selectableReferences = memoize((kind: Referring): ReadonlyMap<string, SelectableReference[]> => {
  const targets = holdingReferences(kind).flatMap((reference) =>
    heldKindsOf(reference).map((target) => ({ target, reference })),
  );
  const byTarget = Map.groupBy(targets, ({ target }) => target);
  const paths = scalarReferences(kind.spec as unknown as SelectableSchema);
  const groups = [...byTarget].map(([target, references]): [string, SelectableReference[]] => [
    target,
    references.flatMap(({ reference: { from } }) => paths.filter((path) => isPathOf(from, path)).map(fieldsAt)),
  ]);
  const whole = groups.filter(([target, found]) => found.length === byTarget.get(target)?.length);
  const selectable = new Map<string, SelectableReference[]>();
  let used = 0;
  for (const [target, found] of whole.toSorted(([, a], [, b]) => a.length - b.length)) {
    used += 2 * found.length;
    if (used <= mostSelectable) selectable.set(target, found);
  }
  return selectable;
});

/** Returns the kinds that objects of a kind hold by a reference. */
export function heldKinds(kind: Pick<Referring, "references">): Set<string> {
  return new Set(holdingReferences(kind).flatMap(heldKindsOf));
}

/** Returns the references of a kind that hold the referenced object. */
export function holdingReferences({ references = {} }: Pick<Referring, "references">) {
  return Object.values(references).flatMap((one) => ("secret" in one || one.holds === false ? [] : [one]));
}

function fieldsAt(path: string[]): SelectableReference {
  const field = ["spec", ...path].join(".");
  return { name: `${field}.name`, id: `${field}.id` };
}

interface SelectableSchema {
  def: { innerType?: SelectableSchema; shape?: Record<string, SelectableSchema>; options?: SelectableSchema[] };
  meta: () => SchemaMarks | undefined;
}

/** Returns the paths of references outside of lists. */
function scalarReferences(schema: SelectableSchema, path: string[] = []): string[][] {
  if (schema.meta()?.refersTo !== undefined) return [path];
  const { innerType, shape = {}, options = [] } = schema.def;
  return [
    ...(innerType ? scalarReferences(innerType, path) : []),
    ...options.flatMap((option) => scalarReferences(option, path)),
    ...Object.entries(shape).flatMap(([name, member]) => scalarReferences(member, [...path, name])),
  ];
}

/** Tests if a reference reads the value at a path. The name of a reference can differ from the path. */
function isPathOf(from: (spec: Record<string, unknown>) => unknown, path: string[]): boolean {
  const value = { name: "probe" };
  const spec = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
  try {
    return from(spec) === value;
  } catch {
    return false;
  }
}
