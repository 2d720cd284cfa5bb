/** In which collection the cloud object of an object is. */
import { fixedCollectionOf, isCollectionOf } from "../model/note-claim.ts";
import { Invalid } from "../kind/outcome.ts";
import type { Connected, Located } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { resolveReferences } from "../secrets/references.ts";

/** By what the spec refers to. Throws `Waiting` where that is not there. */
export async function locate(at: Connected): Promise<Located> {
  const wanted = await resolveReferences(at);
  return Object.assign(at, { wanted, collection: collectionOf(at.kind, at.kind.at(wanted)) });
}

/** Throws `Invalid` for a value of the spec that does not fit what the spec refers to. A deletion does not need it to fit. */
export function refuseMisfit({ kind, wanted }: Located): void {
  const misfit = kind.misfit?.(wanted);
  if (misfit) throw new Invalid(`spec.${misfit.field}`, misfit.why);
}

/**
 * By what was recorded: what the spec refers to may be gone already, so the intent names it. Without one that is proven,
 * a kind whose collection is below another cloud object asks its references.
 */
export async function locateRecorded(at: Connected): Promise<Located> {
  const { kind, spec, object } = at;
  const { name, namespace = "" } = object.metadata;
  const stated = at.intent?.collection;
  const path = stated !== undefined && isCollectionOf(kind, stated) ? stated : fixedCollectionOf(kind);
  if (path === undefined) return locate(at);
  return Object.assign(at, { wanted: { name, namespace, spec, refs: {} }, collection: collectionOf(kind, path) });
}

/** The id of what is acted on: the only row where the kind names none. */
export async function targetOf({ kind, wanted, session, collection, urgent }: Located): Promise<string> {
  if (kind.target) return kind.target(wanted);
  const { rows } = await session.observer.snapshot(collection, { urgent });
  return [...rows.keys()][0] ?? "";
}
