/**
 * Cloud objects without a name: an instance can have several addresses that match one spec. After a restore, an address can
 * belong to an object with a lost record. The operator cannot know, so the operator creates nothing and asks the user.
 */
import { nameOf, nounOf } from "../kind/naming.ts";
import { isOfObject } from "../model/journal.ts";
import { createAnotherAnnotation } from "../kind/annotations.ts";
import { naturalKey } from "../kind/fields.ts";
import { listOf } from "../kind/differences.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { describeKey } from "../kind/words.ts";
import type { Located } from "../model/context.ts";
import { recordOf } from "../model/known.ts";
import { ownerOf } from "../model/owners.ts";
import { waitForCreator } from "../model/creator.ts";
import { annotate } from "../model/uncertain.ts";
import { times } from "../kind/times.ts";

type HeldByParent = NonNullable<Kind["held"]>;

/**
 * Throws `Stalled` with reason `Conflict` if the parent has a matching cloud object without an owner, unless the user named the
 * cloud object. Excludes cloud objects that are built into the parent, and cloud objects from before the first attempt.
 */
export async function refuseUnowned(ctx: Located, held: HeldByParent): Promise<void> {
  // A creation in flight can have a cloud object without a record.
  waitForCreator(ctx, naturalKey(ctx.kind, ctx.desired));
  if ((await unownedIn(ctx, held, ctx.startedAt)).length === 0) return;
  // An owner can delete a cloud object, and vanish, after the first read.
  const ids = await unownedIn(ctx, held, ctx.environment.clock.now());
  if (ids.length > 0) throw conflict(ctx, ids);
}

async function unownedIn(ctx: Located, held: HeldByParent, after: number): Promise<string[]> {
  const { path, ...shape } = held.read(ctx.desired);
  const answer = await ctx.session.observer.detail(path, { after, urgent: ctx.urgent, ...shape });
  const ids = held.ids(answer, ctx.desired);
  const builtIn = ids.filter((id) => !isRequested(ctx, id)).slice(0, held.builtIn(ctx.desired));
  const accepted = new Set([...builtIn, ...knownBefore(ctx), ...namedBy(ctx)]);
  return ids.filter((id) => !accepted.has(id) && ownerIn(ctx, id) === undefined);
}

/**
 * Returns true if a custom resource created the cloud object, or assigned it to the parent. An adopted cloud object can
 * be built in.
 */
function isRequested(ctx: Located, id: string): boolean {
  const owner = ownerIn(ctx, id);
  if (owner === undefined) return false;
  return owner.kind !== ctx.kind.kind || recordOf(ctx.environment, owner).adopted !== true;
}

function ownerIn({ environment, object, collection }: Located, id: string) {
  return ownerOf(environment, object, { collection: collection.path, id });
}

/** Returns the known IDs from before the first attempt of the object, and the missing ID that the object replaces. */
function knownBefore({ entry, object, next }: Located): string[] {
  const known = entry && isOfObject(entry, object) ? entry.known : [];
  return next.id === undefined ? known : [...known, next.id];
}

function namedBy({ object }: Located): string[] {
  return (object.metadata.annotations?.[createAnotherAnnotation] ?? "").split(/[\s,]+/u);
}

function conflict(ctx: Located, ids: string[]): Stalled {
  const { kind, object, spec, collection, session } = ctx;
  session.observer.depend(
    ctx.key,
    ids.map((id) => ({ collection, id })),
  );
  const what = `the account already has ${nameOf(kind, listOf(ids))} with ${describeKey(kind, spec, naturalKey(kind, ctx.desired))}, and no custom resource owns it`;
  const adopt = `To use ${ids.length === 1 ? "it" : "one of them"}, set spec.management.adopt.id: "${ids[0]}"`;
  const another = annotate(object, `${createAnotherAnnotation}=${[...namedBy(ctx).filter(Boolean), ...ids].join(",")}`);
  return new Stalled(
    "Conflict",
    `${what}. The operator creates nothing. ${adopt}. To request another ${nounOf(kind)}: ${another}`,
    times.again,
  );
}
