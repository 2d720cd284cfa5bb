/**
 * Who owns a cloud object when two objects claim it: design, section 4, "Ownership".
 *
 * A claim is (real account, collection, id), across all kinds and all CloudAccounts of one real account; it begins with
 * the journal entry. A recorded id beats a claim without one; between recorded ones the older object wins, then the smaller UID.
 */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Place } from "../../queue/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "../kind/account-spec.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import type { Stored } from "../kind/record.ts";
import { storedRecord } from "./stored.ts";
import type { Environment } from "./environment.ts";
import { keyOfObject, nameOfKey, parseKey } from "../kind/resource.ts";
import type { Claimed } from "../watch/claims.ts";
import { appearsForMs } from "./settle.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import { grantsIn } from "../account/sharing.ts";
import { times } from "../kind/times.ts";

/** The object other than `self` with the strongest claim on this cloud object. Objects that only observe claim nothing. */
export function ownerOf(
  environment: Environment,
  self: KubeObject,
  { collection, id }: { collection: string; id: string },
): KubeObject | undefined {
  return othersAmong(environment, self, environment.claims.ofId(collection, id), true)
    .filter((other) => !isFormer(environment, self, { other, id }))
    .toSorted((a, b) => byStrength(environment, a, b))[0];
}

/** True where the other's DELETE of this id was accepted before a creation for `self` was answered with it: it was used again. */
function isFormer(
  { memory }: Environment,
  self: KubeObject,
  { other, id }: { other: KubeObject; id: string },
): boolean {
  const { deleted, deletedAt = Infinity } = memory.of(other.metadata.uid);
  const { recorded, madeAt = -Infinity } = memory.of(self.metadata.uid);
  return deleted === id && recorded?.id === id && madeAt >= deletedAt;
}

interface NaturalName {
  collection: string;
  naturalKey: JsonObject;
}

/** Another object that has, or is creating, something with this natural key in the same real account. */
export function rivalOf(environment: Environment, self: KubeObject, named: NaturalName): KubeObject | undefined {
  return namesakeOf(environment, self, named, () => true);
}

/** Another object that has a cloud object with this natural key, or whose spec asks for it. */
export function nameHolderOf(environment: Environment, self: KubeObject, named: NaturalName): KubeObject | undefined {
  return namesakeOf(environment, self, named, ({ id }) => id !== undefined);
}

function namesakeOf(
  environment: Environment,
  self: KubeObject,
  { collection, naturalKey }: NaturalName,
  isMeant: (claimed: Partial<Claimed>) => boolean,
): KubeObject | undefined {
  const { claims } = environment;
  const keys = claims.ofName(collection, naturalKey).filter((key) => isMeant(claims.of(key) ?? {}));
  return othersAmong(environment, self, keys)[0];
}

/** In whose name a key claims: that of an object that is gone, until what was created for it is gone, too. */
export function claimantOf({ caches, memory }: Environment, key: string): KubeObject | undefined {
  const { kind, ...ref } = parseKey(key);
  const object = caches.get(kind)?.get(ref);
  const [stray] = memory.orphanedCreates(key, object?.metadata.uid);
  return stray ?? object;
}

/** Returns the other objects that claim something in the same real account. `byId`: they claim the same id, which no two accounts of one cloud have, so that accounts that may be one count as one. */
export function othersAmong(environment: Environment, self: KubeObject, keys: string[], byId = false): KubeObject[] {
  const others = keys
    .map((key) => claimantOf(environment, key))
    .filter((object) => object !== undefined)
    .filter((object) => object.metadata.uid !== self.metadata.uid && isClaimant(environment, object));
  if (others.length === 0) return others;
  return others.filter((object) => {
    const { ofUser, createdField } = environment.kinds.get(object.kind) ?? {};
    if (realAccountOf(environment, object) === realAccountOf(environment, self, ofUser)) return true;
    // What has no time of creation may have a name for an id, as a tag of each account.
    return byId && createdField !== undefined && mayBeOne(whoseOf(environment, object), whoseOf(environment, self));
  });
}

/** Who only observes claims nothing, but for what was asked for before, as long as it may appear: nobody searches for it any more. */
function isClaimant(environment: Environment, object: KubeObject): boolean {
  return !observes(object) || appearsForMs(environment, object) > 0;
}

/** Returns whether two objects are in one real account, or cannot be told apart. */
export function mayShareAccount(environment: Environment, one: KubeObject, other: KubeObject): boolean {
  if (accountOf(one) === accountOf(other)) return true;
  if (realAccountOf(environment, one, false) === realAccountOf(environment, other, false)) return true;
  return mayBeOne(whoseOf(environment, one), whoseOf(environment, other));
}

/** True where one token may not read its account, so that nothing tells the two apart. */
function mayBeOne(a: Whose | undefined, b: Whose | undefined): boolean {
  const isUntold = a?.euuid === undefined || b?.euuid === undefined;
  return a !== undefined && b !== undefined && a.endpoint === b.endpoint && isUntold;
}

/** Returns true if the recorded claim of the other object is stronger. */
export function beats(
  { environment, object }: { environment: Environment; object: KubeObject },
  other: KubeObject,
): boolean {
  return byStrength(environment, other, object) < 0;
}

/** `namespace/name` of the account that an object names. */
export function accountOf(object: KubeObject): string {
  const { accountRef } = (object.spec ?? {}) as CommonSpec;
  return `${accountRef?.namespace ?? object.metadata.namespace ?? ""}/${accountRef?.name ?? "default"}`;
}

/**
 * Returns the place of an object in the queue: its namespace, then the account that it names. An object can name any account,
 * so its namespace comes first. A CloudAccount waits for no object of the account.
 */
export function laneOf({ caches }: Pick<Environment, "caches">, key: string): Place {
  const { kind, ...ref } = parseKey(key);
  const tenant = ref.namespace ?? "";
  if (kind === "CloudAccount") return { tenant, lane: key };
  const object = caches.get(kind)?.get(ref);
  return { tenant, lane: object ? accountOf(object) : "" };
}

/** The CloudAccount that an object names. */
export function cloudAccountOf({ caches }: Pick<Environment, "caches">, object: KubeObject): KubeObject | undefined {
  const [namespace = "", name = ""] = accountOf(object).split("/");
  return caches.get("CloudAccount")?.get({ namespace, name });
}

/** Whose account it is, as the CloudAccount has pinned it. */
export function identityOf(account: KubeObject | undefined): Identity | undefined {
  return (account?.status as AccountStatus | undefined)?.identity;
}

/**
 * Names the real account behind an object's CloudAccount: two of them with one identity are one account. Where a token
 * may not read the account, what another token of the same user has shown counts; where none was connected yet, what the
 * object's journal entry says. `ofUser`: for what each user of the account has of their own.
 */
export function realAccountOf(
  environment: Environment,
  object: KubeObject,
  ofUser = environment.kinds.get(object.kind)?.ofUser,
): string {
  const whose = whoseOf(environment, object);
  if (!whose) return accountOf(object);
  const { endpoint, euuid, uid } = whose;
  return `${endpoint}|${euuid ?? ""}|${euuid === undefined || ofUser ? uid : ""}`;
}

type Whose = Identity & { endpoint: string };

function whoseOf(environment: Environment, object: KubeObject): Whose | undefined {
  const account = cloudAccountOf(environment, object);
  const identity = identityOf(account) ?? environment.claims.of(keyOfObject(object))?.account;
  if (!identity) return undefined;
  const endpoint = endpointOf(account);
  const euuid = identity.euuid ?? euuidOfUser(environment, endpoint, identity.uid);
  return { endpoint, uid: identity.uid, ...(euuid !== undefined && { euuid }) };
}

function euuidOfUser({ caches }: Environment, endpoint: string, uid: number): string | undefined {
  for (const account of caches.get("CloudAccount")?.list() ?? []) {
    const identity = identityOf(account);
    if (identity?.uid === uid && identity.euuid !== undefined && endpointOf(account) === endpoint)
      return identity.euuid;
  }
  return undefined;
}

function endpointOf(account: KubeObject | undefined): string {
  return ((account?.spec ?? {}) as Partial<AccountSpec>).endpoint ?? "default";
}

/**
 * Returns the error of an object that waits until the claim of `holder` changes. While the operator deletes the cloud object of the
 * holder, the user has to change nothing.
 */
export function keptBack(
  ctx: { environment: Environment; key: string },
  holder: KubeObject,
  message: string,
): Stalled | Waiting {
  ctx.environment.claims.keepBack(ctx.key, keyOfObject(holder));
  if (holder.metadata.deletionTimestamp === undefined) return new Stalled("Conflict", message, times.again);
  return new Waiting("WaitingForChange", `${message}. The operator is deleting the other object`, times.again);
}

/** For messages: that another object owns this cloud object. `isOnly`: there is no other of its kind to choose. */
export function managedBy(ctx: Reader, owner: KubeObject, id: string, { isOnly = false } = {}): string {
  const way = isOnly ? "" : ", or choose another cloud object";
  return `${id} is managed by ${nameFor(ctx, owner)}. It is not changed. Delete one of the two objects${way}`;
}

/** Whose condition or event it is, and the CloudAccount that this object names. */
type Reader = { object: KubeObject; cloudAccount: KubeObject | undefined };

/**
 * Names another object in a message: `ComputeInstance shop/web-1`. The message names an object of another namespace only if both
 * objects use the same CloudAccount, and the owner of the CloudAccount shares existing cloud objects with the namespace of the reader.
 */
export function nameFor({ object, cloudAccount }: Reader, other: KubeObject): string {
  const { namespace = "" } = object.metadata;
  const account = accountOf(object);
  const isKnown =
    other.metadata.namespace === namespace ||
    (accountOf(other) === account && grantsIn(cloudAccount, account, namespace).existing);
  return isKnown ? nameOfKey(keyOfObject(other)) : "an object of another namespace";
}

/** Names an object by its key, as `nameFor` does. The object can be deleted by now. */
export function nameForKey(ctx: Reader & { environment: Pick<Environment, "caches"> }, key: string): string {
  const { kind, ...ref } = parseKey(key);
  const other = ctx.environment.caches.get(kind)?.get(ref);
  if (other) return nameFor(ctx, other);
  return ref.namespace === ctx.object.metadata.namespace ? nameOfKey(key) : "an object of another namespace";
}

/** True where the policy is Observe: nothing is changed for it, and it is in nobody's way. */
export function observes(object: KubeObject): boolean {
  return ((object.spec ?? {}) as CommonSpec).management?.policy === "Observe";
}

/** What was brought to its spec is stronger than what was only observed so far, a recorded id stronger than none; then the older object, then the smaller UID. */
function byStrength(environment: Environment, a: KubeObject, b: KubeObject): number {
  const [ofA, ofB] = [storedRecord(environment, a), storedRecord(environment, b)];
  const isManaged = ({ appliedGeneration }: Stored) => Number(appliedGeneration !== undefined);
  const isRecorded = ({ id }: Stored) => Number(id !== undefined);
  return (
    isManaged(ofB) - isManaged(ofA) ||
    isRecorded(ofB) - isRecorded(ofA) ||
    a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
    a.metadata.uid.localeCompare(b.metadata.uid)
  );
}
