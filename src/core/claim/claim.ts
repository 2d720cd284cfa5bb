/**
 * Room `core/claim`: what is known of "which cloud object is mine". It guarantees that nothing is created twice and nothing
 * foreign is taken. It imports `core/kind`, `core/custody` for Secrets and finalizer, and of `core/flow` what is read and kept.
 *
 * This file answers from the three places that may record it: this process, the signed intent
 * where it names an id, and the status where that is proven, in this order. No other file decides about it.
 */
import { keyIn, naturalKey } from "../kind/fields.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { claimsNothing } from "../kind/owned.ts";
import type { Kind } from "../kind/owned.ts";
import { finalizer } from "../kind/resource.ts";
import type { Environment } from "../flow/environment.ts";
import { sameIdentity } from "../account/identity.ts";
import { neutralSpec, neutralValues } from "../kind/neutral.ts";
import type { Reconciliation } from "../flow/reconciliation.ts";
import { statusOf } from "../flow/reconciliation.ts";
import { provenIntent } from "./intent.ts";
import type { Intent, Statement } from "./intent.ts";
import { accountOf, identityOf } from "./ownership.ts";
import type { Claimed } from "./claims.ts";
import type { Recorded } from "./memory.ts";
import { doneOf, isProven } from "./proof.ts";

export type Claim =
  /** Nothing was sent for this object, or what was sent certainly did nothing. */
  | { state: "none" }
  /** A creation whose outcome is not recorded. */
  | { state: "open"; intent: Intent }
  /** Something may have been created, and nothing proves what: nothing is created, and the object keeps its finalizer. */
  | { state: "unproven"; attempt: string; why: string }
  | { state: "recorded"; id: string }
  /** What is recorded is in another account than the one that is connected now. */
  | { state: "elsewhere"; id: string };

/** The claim of an object. Fills `at.next` with what a proven intent says of a cloud object that no status records. */
export function claimOf(at: Reconciliation): Claim {
  const { next } = at;
  const intent = intentOn(at);
  if (intent?.is && at.remembered.recorded === undefined && next.id !== intent.is.id) {
    const { id, origin, adopted } = intent.is;
    Object.assign(next, { id, origin, adopted, applied: intent.applied });
  }
  if (next.id !== undefined) {
    if (isElsewhere(at)) return { state: "elsewhere", id: next.id };
    return replacementOf(at, intent) ?? { state: "recorded", id: next.id };
  }
  if (intent) return isRefused(at, intent) ? { state: "none" } : { state: "open", intent };
  return withoutIntent(at.object, statementIn(at));
}

/**
 * What is recorded as the object's own: by this process, or by its status. A status without a valid proof counts only
 * where it may be of an earlier version, or of before the key was lost: no intent says that it should have a proof, and
 * without an intent of ours the object is older than the key.
 */
export function recordOf(environment: Environment, object: KubeObject): Partial<Recorded> {
  const status = statusOf(object);
  const { recorded } = environment.memory.of(object.metadata.uid);
  if (recorded && recorded.id !== status.id) return recorded;
  if (status.id === undefined) return {};
  const key = environment.installationKey;
  // What was applied is not known where that has no proof of its own: then nothing disrupts.
  const { applied, operations } = doneOf(object, key);
  const own = isProven(object, key) ? status : recorded;
  if (own) return { ...own, applied, operations };
  const statement = read(environment, object);
  const known = intentIn(statement);
  const owed = known ? known.statusProven || status.proof !== undefined : isYoungerThanKey(environment, object);
  return owed ? {} : status;
}

function isYoungerThanKey({ installationKeySince: since }: Environment, { metadata }: KubeObject): boolean {
  return since !== undefined && (metadata.creationTimestamp ?? "") > since;
}

/**
 * What this process knows is outdated where the object carries an intent that another process has stored since: that one
 * sent what it names. What people put back is older, and counts for nothing.
 */
export function heedOthers(environment: Environment, object: KubeObject): void {
  const { memory } = environment;
  const { intent } = memory.of(object.metadata.uid);
  if (!intent) return;
  const stored = intentIn(read(environment, object));
  if (stored?.uid === intent.uid && (stored.serial ?? 0) > (intent.serial ?? 0))
    memory.outdate(object.metadata.uid, stored);
}

function intentIn(statement: Statement): Intent | undefined {
  return statement.state === "proven" ? statement.intent : undefined;
}

/** The intent that is proven to be of this object, in this account. */
export function intentOn(at: Reconciliation): Intent | undefined {
  const known = knownIntent(at);
  if (known) return known;
  return intentIn(statementIn(at));
}

/** True where an intent is there that proves nothing: it may be of before the installation's key was lost. */
export function hasUnproven(at: Reconciliation): boolean {
  return statementIn(at).state === "unproven";
}

/** True while the object carries the intent that is known of it. */
export function statesIntent(at: Reconciliation): boolean {
  const statement = statementIn(at);
  const { intent } = at.remembered;
  return statement.state === "proven" && (intent === undefined || intent.attempt === statement.intent.attempt);
}

/** The intent that this process stored, unless the account is another one by now. */
function knownIntent({ environment, remembered, object }: Reconciliation): Intent | undefined {
  const { intent } = remembered;
  return intent && isOfAccount(environment, object, intent) ? intent : undefined;
}

function isElsewhere(at: Reconciliation): boolean {
  const { environment, object, remembered } = at;
  const statement = stated(at);
  const intent = remembered.intent ?? intentIn(statement);
  return intent !== undefined && intent.uid === object.metadata.uid && !isOfAccount(environment, object, intent);
}

function isOfAccount(environment: Environment, object: KubeObject, { account }: Intent): boolean {
  const identity = identityOf(environment, accountOf(object));
  if (!identity) return true;
  const { ofUser } = environment.kinds.get(object.kind) ?? {};
  return sameIdentity(identity, account) && !(ofUser && identity.uid !== account.uid);
}

function stated(at: Reconciliation): Statement {
  const { environment, object } = at;
  if (at.stated?.of !== object) at.stated = { of: object, statement: read(environment, object) };
  return at.stated.statement;
}

/** An earlier version of the operator recorded what the spec had in the cloud API's own word. */
function read({ installationKey, neutral }: Environment, object: KubeObject): Statement {
  const statement = provenIntent(object, installationKey);
  if (statement.state !== "proven") return statement;
  const { pattern, applied } = statement.intent;
  const intent = {
    ...statement.intent,
    pattern: neutral(pattern),
    ...(applied && { applied: neutralValues(applied, neutral) }),
  };
  return { state: "proven", intent };
}

/** …in the account that is connected now. */
function statementIn(at: Reconciliation): Statement {
  return ofThisAccount(at.environment, at.object, stated(at));
}

function ofThisAccount(environment: Environment, object: KubeObject, statement: Statement): Statement {
  if (statement.state !== "proven") return statement;
  if (isOfAccount(environment, object, statement.intent)) return statement;
  if (statement.intent.uid !== object.metadata.uid) return { state: "copied" };
  return {
    state: "unproven",
    why: "is of another account or user than the token: with a token of that one it goes on",
  };
}

/** A replacement of a missing cloud object keeps the old id recorded until there is a new one. */
function replacementOf(at: Reconciliation, intent: Intent | undefined): Claim | undefined {
  const open = intent && intent.previous === at.next.id && !intent.is && !isRefused(at, intent);
  return open ? { state: "open", intent } : undefined;
}

/** With the id of what is deleted for nobody knows its secret, that remains to be seen gone. */
function isRefused({ next, remembered }: Reconciliation, { attempt }: Intent): boolean {
  return attempt === next.refusedAttempt && (next.deletedID === undefined || attempt === remembered.refusedAttempt);
}

function withoutIntent({ metadata }: KubeObject, statement: Statement): Claim {
  const attempt = metadata.uid.slice(0, 8);
  if (statement.state === "unproven") return { ...statement, attempt };
  if (statement.state === "absent" && metadata.finalizers?.includes(finalizer))
    return { state: "unproven", attempt, why: "was removed" };
  return { state: "none" };
}

/** What an object claims, for the index: as this process knows it, else as it is stored. */
export function claimedBy(environment: Environment, kind: Kind, object: KubeObject): Claimed | undefined {
  // What acts once on something claims none of it.
  if (claimsNothing(kind)) return undefined;
  const { recorded, refusedAttempt, claiming } = environment.memory.of(object.metadata.uid);
  const intent = statedIntent(environment, object);
  const done = doneOf(object, environment.installationKey);
  const id = recorded?.id ?? intent?.is?.id ?? recordOf(environment, object).id;
  const collection = intent?.collection ?? fixedCollectionOf(kind);
  const refused = done.deletedID === undefined ? done.refusedAttempt : undefined;
  const open = intent !== undefined && ![refused, refusedAttempt].includes(intent.attempt);
  if (collection === undefined || (id === undefined && !open)) return claiming;
  const wanted = naturalKeyOf(environment, kind, object);
  // What was sent is what may appear, whatever the spec says since.
  const key = id === undefined && intent ? keyIn(kind, intent.pattern) : wanted;
  return { collection: claimPath(kind, collection), id, naturalKey: key, account: intent?.account };
}

/** As this process knows it, else as it is stored and proven. */
function statedIntent(environment: Environment, object: KubeObject): Intent | undefined {
  const { intent } = environment.memory.of(object.metadata.uid);
  return intent ?? intentIn(ofThisAccount(environment, object, read(environment, object)));
}

/** Where a claim is noted: a setting that claims a part of a row stands beside the object that manages the row. */
export function claimPath({ part }: Kind, path: string): string {
  return part === undefined ? path : `${path}#${part}`;
}

/** Empty where the spec, of an older schema, does not have it. */
function naturalKeyOf({ neutral }: Environment, kind: Kind, object: KubeObject): Claimed["naturalKey"] {
  const { name, namespace = "" } = object.metadata;
  try {
    const spec = neutralSpec(kind, object.spec ?? {}, neutral);
    return naturalKey(kind, { name, namespace, spec, refs: {} });
  } catch {
    return {};
  }
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
