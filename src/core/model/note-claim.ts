/** Keeps the index of claims up to date: the collection with the ID or the natural key of each object. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Environment } from "./environment.ts";
import type { Identity } from "../kind/account-spec.ts";
import { keyIn, naturalKey } from "../kind/fields.ts";
import { memoize } from "../kind/memoize.ts";
import { neutralSpec } from "../kind/neutral.ts";
import { claimsNothing } from "../kind/owned.ts";
import type { Kind } from "../kind/owned.ts";
import type { Resolved } from "../kind/reference.ts";
import { keyOfObject } from "../kind/resource.ts";
import type { Claimed } from "../watch/claims.ts";
import { didNothing } from "./attempt.ts";
import type { JournalEntry } from "./journal.ts";
import { recordOf, statedEntry } from "./known.ts";
import { claimantOf } from "./owners.ts";

/** Updates the claim of a key. A deleted custom resource keeps its claim until the cloud object is deleted, too. */
export function noteClaim(environment: Environment, key: string): void {
  const claimant = claimantOf(environment, key);
  const kind = claimant && environment.kinds.get(claimant.kind);
  environment.claims.note(key, kind && claimedBy(environment, kind, claimant));
}

/** Returns the claim of an object, as known by this process or else as stored. */
function claimedBy(environment: Environment, kind: Kind, object: KubeObject): Claimed | undefined {
  // An action claims no cloud object.
  if (claimsNothing(kind)) return undefined;
  const remembered = environment.memory.of(object.metadata.uid);
  const { recorded, claiming } = remembered;
  const entry = statedEntry(environment, object, remembered);
  const record = recordOf(environment, object, remembered);
  const id = recorded?.id ?? entry?.is?.id ?? record.id;
  const collection = entry?.collection ?? fixedCollectionOf(kind);
  const open = entry !== undefined && entry.attempt !== record.refusedAttempt && !didNothing(remembered, entry);
  if (collection === undefined || (id === undefined && !open)) return claiming;
  // A replacement is pending while the object still has the ID of the replaced cloud object.
  const pending = open && entry.is === undefined && (id === undefined || id === entry.previous) ? entry : undefined;
  // The result shows the values of the request, even if the spec changed since.
  const key = pending ? keyIn(kind, pending.pattern) : naturalKeyOf(environment, kind, object);
  const account = entry && sharedIdentity(JSON.stringify(entry.account));
  return {
    collection: sharedPath(claimPath(kind, collection)),
    id,
    naturalKey: key,
    open: pending && opened(environment, object, pending),
    account,
  };
}

function opened({ claims, clock }: Environment, object: KubeObject, { attempt }: JournalEntry): Claimed["open"] {
  const known = claims.of(keyOfObject(object))?.open;
  return known?.attempt === attempt ? known : { attempt, since: clock.now() };
}

/** Thousands of journal entries name the same account. One shared value saves memory. */
const sharedIdentity = memoize((text: string) => JSON.parse(text) as Identity);
const sharedPath = memoize((path: string) => path);

/**
 * Returns the path of a claim. A setting for a part of a row does not conflict with the object that manages the row.
 */
export function claimPath({ part }: Kind, path: string): string {
  return part === undefined ? path : `${path}#${part}`;
}

/** Returns an empty key if the spec has an older schema without the key. */
function naturalKeyOf(environment: Environment, kind: Kind, object: KubeObject): Claimed["naturalKey"] {
  const { name, namespace = "" } = object.metadata;
  try {
    const spec = neutralSpec(kind, object.spec ?? {}, environment.neutral);
    const refs = containerRefs(environment, kind, namespace, spec);
    return naturalKey(kind, { name, namespace, spec, refs });
  } catch {
    return {};
  }
}

/** Returns the parent of the object. The name of a record is relative to its domain. */
function containerRefs(environment: Environment, kind: Kind, namespace: string, spec: Record<string, unknown>) {
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

/** Returns the collection of a kind with one collection for each account; undefined for a contained kind. */
export function fixedCollectionOf(kind: Kind): string | undefined {
  const path = collectionPatternOf(kind);
  return path.includes("*") ? undefined : path;
}

/** Returns the collection of the cloud object of `object`; undefined without a proof. */
export function recordedCollectionOf(environment: Environment, kind: Kind, object: KubeObject): string | undefined {
  const path = statedEntry(environment, object)?.collection;
  return path !== undefined && isCollectionOf(kind, path) ? path : fixedCollectionOf(kind);
}

export function isCollectionOf(kind: Kind, path: string): boolean {
  const [list = "", query] = collectionPatternOf(kind).split("?");
  // An ID can have two segments, for example the ID of a bucket.
  const pattern = list.replaceAll("/*", "/[^/]+(?:/[^/]+)?");
  return new RegExp(`^${pattern}${query === undefined ? "" : String.raw`\?[^/?]+`}$`).test(path);
}

function collectionPatternOf(kind: Kind): string {
  const refs = Object.fromEntries(Object.keys(kind.references ?? {}).map((name) => [name, { id: "*" }]));
  return kind.listPath({ name: "", namespace: "", spec: {}, refs });
}
