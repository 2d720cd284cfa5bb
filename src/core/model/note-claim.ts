/** What each object claims, and in which collection: keeps the index of claims up to date. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Environment } from "./environment.ts";
import type { Identity } from "../kind/account-spec.ts";
import { keyIn, naturalKey } from "../kind/fields.ts";
import { lately } from "../kind/memoize.ts";
import { neutralSpec } from "../kind/neutral.ts";
import { claimsNothing } from "../kind/owned.ts";
import type { Kind } from "../kind/owned.ts";
import type { Resolved } from "../kind/reference.ts";
import { keyOfObject } from "../kind/resource.ts";
import type { Claimed } from "../watch/claims.ts";
import type { Intent } from "./intent.ts";
import { recordOf, statedIntent } from "./known.ts";
import { claimantOf } from "./ownership.ts";

/** Notes what the object of this key claims; one that is gone claims until nothing of it is left in the cloud. */
export function noteClaim(environment: Environment, key: string): void {
  const claimant = claimantOf(environment, key);
  const kind = claimant && environment.kinds.get(claimant.kind);
  environment.claims.note(key, kind && claimedBy(environment, kind, claimant));
}

/** What an object claims: as this process knows it, else as it is stored. */
function claimedBy(environment: Environment, kind: Kind, object: KubeObject): Claimed | undefined {
  // What acts once on something claims none of it.
  if (claimsNothing(kind)) return undefined;
  const remembered = environment.memory.of(object.metadata.uid);
  const { recorded, refusedAttempt, claiming } = remembered;
  const intent = statedIntent(environment, object, remembered);
  const record = recordOf(environment, object, remembered);
  const id = recorded?.id ?? intent?.is?.id ?? record.id;
  const collection = intent?.collection ?? fixedCollectionOf(kind);
  const refused = record.deletedID === undefined ? record.refusedAttempt : undefined;
  const open = intent !== undefined && ![refused, refusedAttempt].includes(intent.attempt);
  if (collection === undefined || (id === undefined && !open)) return claiming;
  // What replaces something has its id until there is a new one.
  const pending = open && intent.is === undefined && (id === undefined || id === intent.previous) ? intent : undefined;
  // What was sent is what may appear, whatever the spec says since.
  const key = pending ? keyIn(kind, pending.pattern) : naturalKeyOf(environment, kind, object);
  const account = intent && sharedIdentity(JSON.stringify(intent.account));
  return {
    collection: sharedPath(claimPath(kind, collection)),
    id,
    naturalKey: key,
    open: pending && opened(environment, object, pending),
    account,
  };
}

function opened({ claims, clock }: Environment, object: KubeObject, { attempt }: Intent): Claimed["open"] {
  const known = claims.of(keyOfObject(object))?.open;
  return known?.attempt === attempt ? known : { attempt, since: clock.now() };
}

/** One for all objects of an account, where each intent has its own. */
const sharedIdentity = lately((text: string) => JSON.parse(text) as Identity);
const sharedPath = lately((path: string) => path);

/** Where a claim is noted: a setting that claims a part of a row stands beside the object that manages the row. */
export function claimPath({ part }: Kind, path: string): string {
  return part === undefined ? path : `${path}#${part}`;
}

/** Empty where the spec, of an older schema, does not have it. */
function naturalKeyOf(environment: Environment, kind: Kind, object: KubeObject): Claimed["naturalKey"] {
  const { name, namespace = "" } = object.metadata;
  try {
    const spec = neutralSpec(kind, object.spec ?? {}, environment.neutral);
    const refs = parentOf(environment, kind, namespace, spec);
    return naturalKey(kind, { name, namespace, spec, refs });
  } catch {
    return {};
  }
}

/** The object that contains it, by its reference. The name of a record is relative to its domain. */
function parentOf(environment: Environment, kind: Kind, namespace: string, spec: Record<string, unknown>) {
  const refs: Record<string, Resolved> = {};
  for (const [field, reference] of Object.entries(kind.references ?? {})) {
    if ("secret" in reference || !reference.contained || reference.kind === undefined) continue;
    const entry = reference.from(spec);
    const name = Array.isArray(entry) ? undefined : entry?.name;
    const parent = name === undefined ? undefined : environment.caches.get(reference.kind)?.get({ namespace, name });
    if (parent) refs[field] = { id: recordOf(environment, parent).id ?? "", spec: (parent.spec ?? {}) as JsonObject };
  }
  return refs;
}

/** The collection of a kind that has one for the whole account; undefined for one below another cloud object. */
export function fixedCollectionOf(kind: Kind): string | undefined {
  const path = collectionPatternOf(kind);
  return path.includes("*") ? undefined : path;
}

/** In which collection the cloud object of any object is; undefined where nothing proves that. */
export function recordedCollectionOf(environment: Environment, kind: Kind, object: KubeObject): string | undefined {
  const path = statedIntent(environment, object)?.collection;
  return path !== undefined && isCollectionOf(kind, path) ? path : fixedCollectionOf(kind);
}

/** True for a path that may be a collection of the kind. */
export function isCollectionOf(kind: Kind, path: string): boolean {
  const [list = "", query] = collectionPatternOf(kind).split("?");
  // An id that is made of names takes two segments, as a bucket's does.
  const pattern = list.replaceAll("/*", "/[^/]+(?:/[^/]+)?");
  return new RegExp(`^${pattern}${query === undefined ? "" : String.raw`\?[^/?]+`}$`).test(path);
}

/** The path of a kind's collection with `*` for identifiers of what contains it. */
function collectionPatternOf(kind: Kind): string {
  const refs = Object.fromEntries(Object.keys(kind.references ?? {}).map((name) => [name, { id: "*" }]));
  return kind.at({ name: "", namespace: "", spec: {}, refs });
}
