/**
 * Cloud objects without a name: an instance can have several addresses that match one spec. After a restore, an address can
 * belong to an object whose record is lost. The operator cannot know, so it creates nothing and asks the user.
 */
import { naturalKey } from "../kind/fields.ts";
import { named } from "../kind/differences.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { describeKey } from "../kind/words.ts";
import type { Located } from "../flow/reconciliation.ts";
import { createAnotherAnnotation } from "./intent.ts";
import { recordOf } from "./known.ts";
import { ownerOf } from "./ownership.ts";
import { waitForCreator } from "./creator.ts";
import { annotate } from "./uncertain.ts";

type Held = NonNullable<Kind["held"]>;

/**
 * Throws `Stalled` with reason `Conflict` if the parent has a matching cloud object that no custom resource owns and that
 * the user did not name. Built-in cloud objects of the parent do not count. Cloud objects that the first attempt of this object
 * found do not count either.
 */
export async function refuseUnowned(at: Located, held: Held): Promise<void> {
  // The cloud object of that creation matches, and no record names it yet.
  waitForCreator(at, naturalKey(at.kind, at.wanted));
  if ((await unownedIn(at, held, at.startedAt)).length === 0) return;
  // An owner can have deleted a cloud object, and itself, after the first read.
  const ids = await unownedIn(at, held, at.environment.clock.now());
  if (ids.length > 0) throw conflict(at, ids);
}

async function unownedIn(at: Located, held: Held, after: number): Promise<string[]> {
  const { path, ...shape } = held.read(at.wanted);
  const answer = await at.session.observer.detail(path, { after, urgent: at.urgent, ...shape });
  const ids = held.ids(answer, at.wanted);
  const builtIn = ids.filter((id) => !isRequested(at, id)).slice(0, held.builtIn(at.wanted));
  const accepted = new Set([...builtIn, ...knownOf(at), ...namedBy(at)]);
  return ids.filter((id) => !accepted.has(id) && ownerIn(at, id) === undefined);
}

/** True if a custom resource created this cloud object, or assigned it to the parent. An adopted cloud object can be built in. */
function isRequested(at: Located, id: string): boolean {
  const owner = ownerIn(at, id);
  if (owner === undefined) return false;
  return owner.kind !== at.kind.kind || recordOf(at.environment, owner).adopted !== true;
}

function ownerIn({ environment, object, collection }: Located, id: string) {
  return ownerOf(environment, object, { collection: collection.path, id });
}

/** Returns the IDs that were known when the first attempt of this object began, and the missing ID that the object replaces. */
function knownOf({ intent, object, next }: Located): string[] {
  const known = intent?.uid === object.metadata.uid ? intent.known : [];
  return next.id === undefined ? known : [...known, next.id];
}

/** Returns the IDs that the user knows. */
function namedBy({ object }: Located): string[] {
  return (object.metadata.annotations?.[createAnotherAnnotation] ?? "").split(/[\s,]+/u);
}

/** First wait until the operator checks whether another object has adopted the cloud object, milliseconds. The wait doubles. */
const againMs = 30_000;

function conflict(at: Located, ids: string[]): Stalled {
  const { kind, object, spec, collection, session } = at;
  session.observer.depend(
    at.key,
    ids.map((id) => ({ collection, id })),
  );
  const what = `${collection.path} has ${named(ids)} with ${describeKey(kind, spec, naturalKey(kind, at.wanted))} already, which no custom resource owns`;
  const adopt = `To use ${ids.length === 1 ? "it" : "one"}, set spec.management.adopt.id: "${ids[0]}"`;
  const another = annotate(object, `${createAnotherAnnotation}=${[...namedBy(at).filter(Boolean), ...ids].join(",")}`);
  return new Stalled("Conflict", `${what}. Nothing is created. ${adopt}. To request another one: ${another}`, againMs);
}
