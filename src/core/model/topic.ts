/** Topics of exclusive cloud objects: see watch/holdings.ts. */
import { realAccountOf } from "./owners.ts";
import { cloudKey } from "../watch/dependents.ts";
import type { Context } from "./context.ts";
import type { ObjectReferenceTo } from "../kind/reference.ts";
import type { Kind } from "../kind/owned.ts";

/** Returns the exclusive reference of a kind, with the step that reads the held cloud objects; undefined without such a reference. */
export function exclusiveOf({ steps = {}, references = {} }: Pick<Kind, "steps" | "references">) {
  const [name, step] = Object.entries(steps).find(([, one]) => one.exclusive) ?? [];
  if (name === undefined || !step?.exclusive) return undefined;
  const { reference, holds } = step.exclusive;
  const to = references[reference] as Extract<ObjectReferenceTo<Record<string, unknown>>, { kind: string }>;
  return { step: name, reference, holds, to };
}

/** Returns the topic of a cloud object by ID; undefined if the kind has no exclusive reference. */
export function topicOf(
  { environment, kind, object }: Pick<Context, "environment" | "kind" | "object">,
  id: string,
): string | undefined {
  const exclusive = exclusiveOf(kind);
  if (!exclusive) return undefined;
  return `${kind.kind} of ${cloudKey(exclusive.to.kind, id)} in ${realAccountOf(environment, object)}`;
}
