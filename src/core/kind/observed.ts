/**
 * What the cloud has of an object, as its spec would say it.
 *
 * It guarantees that it can be written into just that spec, as a merge patch: the kind accepts the result. So a value that the
 * spec cannot have, or cannot have beside what it says, is left out: a zero of the cloud API that means that nothing is set, or
 * a field that belongs to another type. What it leaves out is a difference all the same where the spec says something else.
 */
import type { JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";
import type { Wanted } from "./live.ts";
import type { Kind } from "./owned.ts";
import { kindOf } from "./reference.ts";
import type { Resolved } from "./reference.ts";
import { withNames } from "./spec-path.ts";
import type { NameOf } from "./spec-path.ts";

type Spec = Record<string, unknown>;
type Given = Pick<Wanted<Spec, Record<string, never>>, "spec" | "refs">;

/** `shown`: all that the cloud shows, in the words of the spec. `nameOf`: the object that manages what has an id, where it is known. */
export function observedSpec(kind: Kind, { spec, refs }: Given, shown: JsonObject, nameOf?: NameOf): JsonObject {
  const own = namesIn(kind, { spec, refs });
  const said = withNames(kind.spec, shown, (of, id) => own.get(`${of}/${id}`) ?? nameOf?.(of, id));
  return accepted(kind, spec, said);
}

/** The names by which the spec refers to cloud objects, by kind and id. */
function namesIn({ references = {} }: Kind, { spec, refs }: Given): Map<string, string> {
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

/** As many of the fields as the spec can have together with what it says. */
function accepted({ spec: schema }: Kind, spec: Spec, said: JsonObject): JsonObject {
  const fits = (patch: JsonObject): boolean => schema.safeParse(patched(spec, patch)).success;
  if (fits(said)) return said;
  const fitting: JsonObject = {};
  let left = Object.entries(said);
  for (;;) {
    // One field may be accepted only once another is said.
    const next = left.find(([name, value]) => fits({ ...fitting, [name]: value }));
    if (!next) return fitting;
    const [name, value] = next;
    fitting[name] = value;
    left = left.filter((one) => one !== next);
  }
}

/** The spec after a merge patch (RFC 7386) that removes nothing. */
export function patched(spec: Spec, patch: JsonObject): Spec {
  const after: Spec = { ...spec };
  for (const [name, value] of Object.entries(patch)) {
    const before = after[name];
    after[name] = isObject(value) ? patched(isObject(before) ? before : {}, value) : value;
  }
  return after;
}
