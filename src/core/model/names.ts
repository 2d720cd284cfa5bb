/** The names of cloud objects in a spec. */
import type { CloudName, LeafClass } from "../kind/leaf-class.ts";
import { memoize } from "../kind/memoize.ts";
import { leavesOf } from "../kind/leaves.ts";
import type { Kind } from "../kind/owned.ts";

export interface NameInSpec {
  /** With indices, such as `spec.rescueDiskIDs[1]`. */
  field: string;
  value: string;
  name: CloudName;
}

interface NameLeaf {
  path: string;
  name: CloudName;
}

/** Returns the names of cloud objects in a spec, by the marks of the schema. Excludes `spec.management.adopt`. */
export function cloudNamesIn(kind: Pick<Kind, "spec" | "references">, spec: Record<string, unknown>): NameInSpec[] {
  return nameLeaves(kind).flatMap(({ path, name }) =>
    valuesAt(spec, path).map(({ at, value }) => ({ field: `spec.${at}`, value: String(value), name })),
  );
}

/** Returns the class of a field, such as `image` or `inbound[0].ports`; undefined for an unknown field. */
export function leafAt({ spec }: Pick<Kind, "spec">, path: string): LeafClass | undefined {
  const general = path.replaceAll(/\[\d+\]/g, "[]");
  return allLeaves(spec).find((leaf) => leaf.path === general)?.leaf;
}

const allLeaves = memoize((spec: Kind["spec"]) => leavesOf(spec));

const nameLeaves = memoize(({ spec, references = {} }: Pick<Kind, "spec" | "references">): NameLeaf[] => {
  const passing = Object.entries(references).flatMap(([name, one]) =>
    !("secret" in one) && one.creationOnly ? name : [],
  );
  return allLeaves(spec).flatMap(({ path, leaf }) => {
    if (leaf?.is !== "cloudName" || leaf.of === "itself") return [];
    // Only a creation uses a reference with `creationOnly`.
    const isPassing = passing.some((name) => path === `${name}.id`);
    return [{ path, name: isPassing ? { ...leaf, creationOnly: true } : leaf }];
  });
});

function valuesAt(spec: unknown, path: string): { at: string; value: unknown }[] {
  const steps = path.split(/\.|(?=\[\])/);
  return steps.reduce(
    (found, step) => found.flatMap(({ at, value }) => next(at, value, step)),
    [{ at: "", value: spec }],
  );
}

function next(at: string, value: unknown, step: string): { at: string; value: unknown }[] {
  if (value === null || value === undefined) return [];
  if (step === "[]")
    return Array.isArray(value) ? value.map((one: unknown, index) => ({ at: `${at}[${index}]`, value: one })) : [];
  const { [step]: member } = value as Record<string, unknown>;
  return member === undefined ? [] : [{ at: at === "" ? step : `${at}.${step}`, value: member }];
}
