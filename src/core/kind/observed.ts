/**
 * Observed values of a cloud object, in the form of the spec.
 *
 * Guarantee: a user can copy the result into the spec as a merge patch, and the schema accepts the new spec. The function omits
 * invalid values, such as a zero that means "not set", or a field of a different type. The drift still contains omitted values.
 */
import type { JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";
import type { Desired } from "./live.ts";
import type { Kind } from "./owned.ts";
import { kindOf } from "./reference.ts";
import type { Resolved } from "./reference.ts";
import { withNames } from "./spec-path.ts";
import type { NameOf } from "./spec-path.ts";

type ObservedSpec = Record<string, unknown>;
type SpecWithReferences = Pick<Desired<ObservedSpec, Record<string, never>>, "spec" | "refs">;

/**
 * Returns the observed values that the spec can contain. `shown`: all values of the cloud, in the form of the spec. `nameOf`:
 * returns the name of the object that manages a cloud object.
 */
export function observedSpec(
  kind: Kind,
  { spec, refs }: SpecWithReferences,
  shown: JsonObject,
  nameOf?: NameOf,
): JsonObject {
  const own = referenceNames(kind, { spec, refs });
  const said = withNames(kind.spec, shown, (of, id) => own.get(`${of}/${id}`) ?? nameOf?.(of, id));
  return accepted(kind, spec, said);
}

/** Returns the names that the spec uses for cloud objects, by kind and ID. */
function referenceNames({ references = {} }: Kind, { spec, refs }: SpecWithReferences): Map<string, string> {
  const names = new Map<string, string>();
  for (const [field, reference] of Object.entries(references)) {
    if ("secret" in reference) continue;
    const said = reference.from(spec);
    const found = [(refs as Record<string, Resolved | Resolved[] | undefined>)[field]].flat();
    for (const [index, entry = {}] of [said].flat().entries())
      if (entry.name !== undefined) names.set(`${kindOf(reference, entry)}/${found[index]?.id}`, entry.name);
  }
  return names;
}

/** Returns the largest set of fields that the schema accepts together with the spec. */
function accepted({ spec: schema }: Kind, spec: ObservedSpec, said: JsonObject): JsonObject {
  const fits = (patch: JsonObject): boolean => schema.safeParse(patched(spec, patch)).success;
  if (fits(said)) return said;
  const fitting: JsonObject = {};
  let left = Object.entries(said);
  for (;;) {
    // The schema can accept a field only after a second field.
    const next = left.find(([name, value]) => fits({ ...fitting, [name]: value }));
    if (!next) return fitting;
    const [name, value] = next;
    fitting[name] = value;
    left = left.filter((one) => one !== next);
  }
}

/** Returns the spec after a merge patch (RFC 7386). Does not remove fields. */
export function patched(spec: ObservedSpec, patch: JsonObject): ObservedSpec {
  const after: ObservedSpec = { ...spec };
  for (const [name, value] of Object.entries(patch)) {
    const before = after[name];
    after[name] = isObject(value) ? patched(isObject(before) ? before : {}, value) : value;
  }
  return after;
}
