import { fixedCollectionOf, isCollectionOf } from "../model/note-claim.ts";
import { Invalid } from "../kind/outcome.ts";
import type { Connected, Located } from "../model/context.ts";
import { collectionOf, toLocated } from "../model/context.ts";
import { resolveReferences } from "../secrets/references.ts";

/** Finds the collection by the references of the spec. Throws `Waiting` if a referenced object is missing. */
export async function locate(ctx: Connected): Promise<Located> {
  const desired = await resolveReferences(ctx);
  return toLocated(ctx, { desired, collection: collectionOf(ctx.kind, ctx.kind.listPath(desired)) });
}

/** Throws `Invalid` if a value of the spec does not fit the referenced object. A deletion skips the check. */
export function refuseMisfit({ kind, desired }: Located): void {
  const misfit = kind.misfit?.(desired);
  if (misfit) throw new Invalid(`spec.${misfit.field}`, misfit.why);
}

/**
 * Finds the collection by the proven journal entry, because the referenced objects can be absent. Without a proven journal entry, the
 * operator resolves the references if the collection is below another cloud object.
 */
export async function locateRecorded(ctx: Connected): Promise<Located> {
  const { kind, spec, object } = ctx;
  const { name, namespace = "" } = object.metadata;
  const stated = ctx.entry?.collection;
  const path = stated !== undefined && isCollectionOf(kind, stated) ? stated : fixedCollectionOf(kind);
  if (path === undefined) return locate(ctx);
  return toLocated(ctx, { desired: { name, namespace, spec, refs: {} }, collection: collectionOf(kind, path) });
}

/** Returns the ID of the target of an action. If the kind names no target, returns the ID of the only row. */
export async function targetOf({ kind, desired, session, collection, urgent }: Located): Promise<string> {
  if (kind.target) return kind.target(desired);
  const { rows } = await session.observer.snapshot(collection, { urgent });
  return [...rows.keys()][0] ?? "";
}
