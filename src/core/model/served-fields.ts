/** Fields of a spec that hold or protect objects, and the schema of the API server. */
import type { Described } from "../kind/described.ts";
import { memoize } from "../kind/memoize.ts";
import { leavesOf } from "../kind/leaves.ts";

/** A schema in the form of a CustomResourceDefinition. */
export interface Served {
  properties?: Record<string, Served>;
  items?: Served;
  additionalProperties?: Served | boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
}

type Specified = Pick<Described, "spec" | "status">;

/** Returns protective fields without a place in the schema, such as `spec.management.protect`, and the record. */
export function missingFields(kind: Specified, schema: Served | undefined): string[] {
  const record = "record" in kind.status.shape ? ["status.record"] : [];
  return [...protectiveFields(kind).map((path) => `spec.${path}`), ...record].filter((path) => !has(schema, path));
}

/**
 * Returns the fields of `management`, and the references. An object without a reference stops holding the referenced
 * object.
 */
const protectiveFields = memoize(({ spec }: Specified): string[] =>
  leavesOf(spec)
    .filter(({ path, leaf }) => path.startsWith("management.") || leaf?.is === "reference")
    .map(({ path }) => path),
);

/** Tests if a schema has a field. `path`: path of a leaf, such as `spec.devices[].diskRef.id`. */
function has(schema: Served | undefined, path: string): boolean {
  let at = schema;
  for (const step of path.match(/[^.[\]{}]+|\[\]|\{\}/g) ?? []) {
    if (at?.["x-kubernetes-preserve-unknown-fields"] === true) return true;
    const { additionalProperties } = at ?? {};
    if (step === "[]") at = at?.items;
    else if (step === "{}") at = typeof additionalProperties === "object" ? additionalProperties : undefined;
    else at = at?.properties?.[step];
    if (at === undefined) return false;
  }
  return true;
}
