/**
 * Parent identity. A cloud object without an origin, such as the certificate of a bucket, has the origin of its parent.
 * The operator records this origin under its signature. If a new parent has the same name, the operator changes and
 * deletes nothing in the parent.
 */
import { nameOf, nounOf } from "../kind/naming.ts";
import type { JsonObject } from "../../api/types.ts";
import { isLasting, originOf } from "../model/origin.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { isContained } from "../kind/reference.ts";
import type { Resolved } from "../kind/reference.ts";
import type { Collection } from "../../observe/types.ts";
import type { Located } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { usedOf } from "../model/referred.ts";
import { times } from "../kind/times.ts";

const parentMark = "within";

/** The cloud object that contains the collection of an object. */
export interface Parent {
  kind: Kind;
  reference: string;
  list: Collection;
  path: string;
}

/** Returns the parent of the collection; undefined for a top-level collection. A contained kind cannot be a parent. */
export function parentOf({ kind, environment, collection }: Located): Parent | undefined {
  const nothing = { name: "", namespace: "", spec: {}, refs: {} };
  const path = collection.path.replace(/\/[^/]+$/, "");
  for (const [name, reference] of Object.entries(kind.references ?? {})) {
    const of = "secret" in reference ? undefined : environment.kinds.get(reference.kind ?? "");
    if (!of || isContained(of)) continue;
    const list = collectionOf(of, of.listPath(nothing));
    if (path.startsWith(`${list.path}/`)) return { kind: of, reference: name, list, path };
  }
  return undefined;
}

/** Returns the record of the parent's origin; undefined if the rows of the kind show an origin. */
export function parentMarkOf(
  ctx: Located,
  kept: Record<string, string> | undefined,
): Record<string, string> | undefined {
  const parent = originatorOf(ctx);
  const { name, origin } = (parent && resolvedParent(ctx, parent)) ?? {};
  if (!parent) return undefined;
  // A referenced custom resource can recreate or adopt its cloud object, so the new origin counts. For a reference by
  // ID, the first origin counts.
  const managed = name === undefined ? undefined : origin;
  const meant = managed ?? kept?.[parentMark] ?? origin;
  return meant === undefined ? undefined : { [parentMark]: meant };
}

/** Throws `Stalled` if a reference by ID means another parent than the recorded parent. */
export function refuseAnotherParent(ctx: Located): void {
  const parent = originatorOf(ctx);
  const { name, origin } = (parent && resolvedParent(ctx, parent)) ?? {};
  if (parent && name === undefined && origin !== undefined && isAnotherParent(ctx, parent, origin))
    throw anotherParent(ctx, parent);
}

function resolvedParent({ desired }: Located, { reference }: Parent): Resolved | undefined {
  return desired.refs[reference];
}

/**
 * Throws `Stalled` if the parent is not the parent of the creation, and `Waiting` if the cloud API does not show the
 * origin of the parent. `since`: the earliest start of the read, clock milliseconds.
 */
export async function requireSameParent(ctx: Located, since: number): Promise<void> {
  const parent = originatorOf(ctx);
  if (!parent || !isLasting(parent.kind)) return;
  const { session, urgent } = ctx;
  const reading = session.observer.detail(parent.path, { after: since, urgent });
  const row = await reading.catch((error: unknown) => {
    if (!isHttpError(error) || error.status !== 404) throw error;
    throw unknownParent(ctx, `reports that its ${nounOf(parent.kind)} does not exist`);
  });
  const found = originOf(parent.kind, row as JsonObject);
  if (found === undefined) throw unknownParent(ctx, `does not show the creation time of its ${nounOf(parent.kind)}`);
  if (isAnotherParent(ctx, parent, found)) throw anotherParent(ctx, parent);
}

function anotherParent(ctx: Located, parent: Parent): Stalled {
  const way =
    ctx.object.metadata.deletionTimestamp === undefined
      ? `. Delete this object, or create another ${parent.kind.kind}`
      : "";
  const what = `${nameOf(parent.kind, resolvedParent(ctx, parent)?.id)} is now a different cloud object than at the creation of ${nameOf(ctx.kind, ctx.next.id)}. The operator changes nothing in it`;
  return new Stalled("Conflict", `${what}${way}`);
}

/**
 * Returns the error for contradictory responses: the cloud API shows the contained cloud object, but not the parent.
 */
function unknownParent({ kind, next }: Located, what: string): Waiting {
  const text = `the cloud API shows ${nameOf(kind, next.id)}, but ${what}. The operator reads both again`;
  return new Waiting("CloudUnavailable", text, times.again);
}

function isAnotherParent(ctx: Located, parent: Parent, found: string): boolean {
  // The status can be lost or edited, so the signed journal entry counts, too.
  const known = [ctx.next.applied?.[parentMark], ctx.entry?.applied?.[parentMark], originOfObject(ctx, parent)];
  const meant = known.filter((one) => one !== undefined);
  return meant.length > 0 && !meant.includes(found);
}

/**
 * Throws `Waiting` before a creation in a parent without an origin. The operator could not detect a new parent later.
 */
export function refuseUntoldParent(ctx: Located): void {
  const parent = originatorOf(ctx);
  if (!parent || !isLasting(parent.kind) || resolvedParent(ctx, parent)?.origin !== undefined) return;
  ctx.session.observer.invalidate(parent.path);
  const text = `the cloud API does not show the creation time of the ${nounOf(parent.kind)}. Until then, the operator creates nothing in it`;
  throw new Waiting("CloudUnavailable", text, times.again);
}

/** Returns the parent if only the parent shows the origin; otherwise undefined. */
function originatorOf(ctx: Located): Parent | undefined {
  return ctx.kind.shape !== "owned" || ctx.kind.createdField !== undefined ? undefined : parentOf(ctx);
}

function originOfObject({ environment, kind, spec, object }: Located, { reference }: Parent): string | undefined {
  const to = kind.references?.[reference];
  if (to === undefined || "secret" in to || to.kind === undefined) return undefined;
  const [named] = [to.from(spec) ?? []].flat();
  const { namespace = "" } = object.metadata;
  const found = named?.name && environment.caches.get(to.kind)?.get({ namespace, name: named.name });
  return found ? usedOf(environment, found).origin : undefined;
}
