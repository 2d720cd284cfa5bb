/**
 * What has no origin of its own, such as the certificate of a bucket, is known by what it is in: the origin of that is recorded
 * with what was applied, signed. Where the name of it means another one by now, nothing in it is changed or deleted.
 */
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

/** Under which name it is recorded among what was applied. */
const mark = "within";

/** What the collection of an object is part of. */
export interface Parent {
  kind: Kind;
  /** The name of the reference to it. */
  reference: string;
  list: Collection;
  path: string;
}

/** Undefined for a collection that is part of nothing. What is itself part of something contains nothing. */
export function parentOf({ kind, environment, collection }: Located): Parent | undefined {
  const nothing = { name: "", namespace: "", spec: {}, refs: {} };
  const path = collection.path.replace(/\/[^/]+$/, "");
  for (const [name, reference] of Object.entries(kind.references ?? {})) {
    const of = "secret" in reference ? undefined : environment.kinds.get(reference.kind ?? "");
    if (!of || isContained(of)) continue;
    const list = collectionOf(of, of.at(nothing));
    if (path.startsWith(`${list.path}/`)) return { kind: of, reference: name, list, path };
  }
  return undefined;
}

/** What is recorded of what it is in; nothing for a kind whose rows tell their own origin. */
export function markWithin(at: Located, kept: Record<string, string> | undefined): Record<string, string> | undefined {
  const parent = originatorOf(at);
  const { name, origin } = (parent && resolvedOf(at, parent)) ?? {};
  if (!parent) return undefined;
  // What an object manages may be another one since, made again or adopted; what has just an id is what had it first.
  const managed = name === undefined ? undefined : origin;
  const meant = managed ?? kept?.[mark] ?? origin;
  return meant === undefined ? undefined : { [mark]: meant };
}

/** Throws `Stalled` where what it refers to by an id is known to be another one: it is not as specified, whatever it shows. */
export function refuseAnotherParent(at: Located): void {
  const parent = originatorOf(at);
  const { name, origin } = (parent && resolvedOf(at, parent)) ?? {};
  if (parent && name === undefined && origin !== undefined && isAnotherParent(at, parent, origin))
    throw another(at, parent);
}

function resolvedOf({ wanted }: Located, { reference }: Parent): Resolved | undefined {
  return wanted.refs[reference];
}

/** Throws `Stalled` where what it was created in is another one by now, and `Waiting` where that cannot be told. `since`: clock milliseconds; what is read was read later. */
export async function requireWithin(at: Located, since: number): Promise<void> {
  const parent = originatorOf(at);
  if (!parent || !isLasting(parent.kind)) return;
  const { session, urgent } = at;
  const reading = session.observer.detail(parent.path, { after: since, urgent });
  const row = await reading.catch((error: unknown) => {
    if (!isHttpError(error) || error.status !== 404) throw error;
    throw untold(at, `says that ${parent.path} does not exist`);
  });
  const found = originOf(parent.kind, row as JsonObject);
  if (found === undefined) throw untold(at, `does not show when ${parent.path} was created`);
  if (isAnotherParent(at, parent, found)) throw another(at, parent);
}

function another(at: Located, parent: Parent): Stalled {
  const way =
    at.object.metadata.deletionTimestamp === undefined
      ? `. Delete this object, or create another ${parent.kind.kind} for it`
      : "";
  const what = `${parent.path} is another cloud object than the one that ${at.next.id ?? "this"} was created in, so nothing in it is changed`;
  return new Stalled("Conflict", `${what}${way}`);
}

/** What is read of a thing that is there must tell what it is in. */
function untold({ next }: Located, what: string): Waiting {
  const text = `the cloud API shows ${next.id ?? "what is in it"}, and ${what}; the operator asks again`;
  return new Waiting("CloudUnavailable", text, times.again);
}

function isAnotherParent(at: Located, parent: Parent, found: string): boolean {
  // A status may be lost, or edited; the intent is signed.
  const known = [at.next.applied?.[mark], at.intent?.applied?.[mark], originOfObject(at, parent)];
  const meant = known.filter((one) => one !== undefined);
  return meant.length > 0 && !meant.includes(found);
}

/** Nothing is created in what does not tell when it was created: nothing would tell it from another one later. */
export function refuseUntoldParent(at: Located): void {
  const parent = originatorOf(at);
  if (!parent || !isLasting(parent.kind) || resolvedOf(at, parent)?.origin !== undefined) return;
  at.session.observer.invalidate(parent.path);
  const text = `the cloud API does not show when ${parent.path} was created. Nothing is created in it until it does`;
  throw new Waiting("CloudUnavailable", text, times.again);
}

/** What tells the origin in place of the row; undefined where that tells its own. */
function originatorOf(at: Located): Parent | undefined {
  return at.kind.shape !== "owned" || at.kind.createdField !== undefined ? undefined : parentOf(at);
}

/** As the object has it that is referred to, where it is still there. */
function originOfObject({ environment, kind, spec, object }: Located, { reference }: Parent): string | undefined {
  const to = kind.references?.[reference];
  if (to === undefined || "secret" in to || to.kind === undefined) return undefined;
  const [named] = [to.from(spec) ?? []].flat();
  const { namespace = "" } = object.metadata;
  const found = named?.name && environment.caches.get(to.kind)?.get({ namespace, name: named.name });
  return found ? usedOf(environment, found).origin : undefined;
}
