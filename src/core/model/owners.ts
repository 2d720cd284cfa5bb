/**
 * Decides which of two custom resources owns a cloud object.
 *
 * A claim is a triple of real account, collection and ID, across all kinds and all CloudAccounts of a real account. The journal
 * entry starts the claim. A claim with a recorded ID wins. Then the older object wins, then the object with the smaller UID.
 */
import type { Kind } from "../kind/owned.ts";
import { nameOf } from "../kind/naming.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Place } from "../../queue/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "../kind/account-spec.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import type { Stored } from "../kind/record.ts";
import { deletedAt } from "./deletion.ts";
import { storedRecord } from "./stored.ts";
import type { Environment } from "./environment.ts";
import { keyOfObject, nameOfKey, parseKey } from "../kind/resource.ts";
import type { Claimed } from "../watch/claims.ts";
import { appearsForMs } from "./settle.ts";
import { Stalled, Waiting } from "../kind/outcome.ts";
import { grantsIn } from "../account/sharing.ts";
import { times } from "../kind/times.ts";

/** Returns the object with the strongest claim on the cloud object, except `self`. Objects with the policy Observe have no claim. */
export function ownerOf(
  environment: Environment,
  self: KubeObject,
  { collection, id }: { collection: string; id: string },
): KubeObject | undefined {
  return othersAmong(environment, self, environment.claims.ofId(collection, id), true)
    .filter((other) => !isFormer(environment, self, { other, id }))
    .toSorted((a, b) => byStrength(environment, a, b))[0];
}

/** Returns true if the cloud reused the ID: `other` deleted the ID, and a later creation for `self` returned the same ID. */
function isFormer(
  { memory }: Environment,
  self: KubeObject,
  { other, id }: { other: KubeObject; id: string },
): boolean {
  const since = deletedAt(memory.of(other.metadata.uid), id) ?? Infinity;
  const { recorded, madeAt = -Infinity } = memory.of(self.metadata.uid);
  return recorded?.id === id && madeAt >= since;
}

interface NaturalName {
  collection: string;
  naturalKey: JsonObject;
}

/** Returns a second object of the real account that has or creates a cloud object with the natural key. */
export function rivalOf(environment: Environment, self: KubeObject, named: NaturalName): KubeObject | undefined {
  return namesakeOf(environment, self, named, () => true);
}

/** Returns a second object with a recorded cloud object of the natural key. */
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

/** Returns the object behind a key. If a user deletes an object during its creation, the claim ends when the operator has deleted the result. */
export function claimantOf({ caches, memory }: Environment, key: string): KubeObject | undefined {
  const { kind, ...ref } = parseKey(key);
  const object = caches.get(kind)?.get(ref);
  const [stray] = memory.orphanedCreates(key, object?.metadata.uid);
  return stray ?? object;
}

/**
 * Returns further objects with a claim in the real account. `byId`: the objects claim one ID. Two accounts of a cloud never
 * share an ID, so two accounts without a proven difference count as one account.
 */
export function othersAmong(environment: Environment, self: KubeObject, keys: string[], byId = false): KubeObject[] {
  const others = keys
    .map((key) => claimantOf(environment, key))
    .filter((object) => object !== undefined)
    .filter((object) => object.metadata.uid !== self.metadata.uid && isClaimant(environment, object));
  if (others.length === 0) return others;
  return others.filter((object) => {
    const { ofUser, createdField } = environment.kinds.get(object.kind) ?? {};
    if (realAccountOf(environment, object) === realAccountOf(environment, self, ofUser)) return true;
    // A kind without a time of creation can use names as IDs. Example: two accounts can have a tag with one name.
    return byId && createdField !== undefined && mayBeOne(whoseOf(environment, object), whoseOf(environment, self));
  });
}

/** An object with the policy Observe has a claim only while the result of its earlier creation can still appear. */
function isClaimant(environment: Environment, object: KubeObject): boolean {
  return !observes(object) || appearsForMs(environment, object) > 0;
}

/** Returns true if two objects are in one real account, or if the operator has no proof of a difference. */
export function mayShareAccount(environment: Environment, one: KubeObject, other: KubeObject): boolean {
  if (accountOf(one) === accountOf(other)) return true;
  if (realAccountOf(environment, one, false) === realAccountOf(environment, other, false)) return true;
  return mayBeOne(whoseOf(environment, one), whoseOf(environment, other));
}

/** Returns true if a token cannot read its account. The operator then has no proof of a difference. */
function mayBeOne(a: Whose | undefined, b: Whose | undefined): boolean {
  const isUnknown = a?.euuid === undefined || b?.euuid === undefined;
  return a !== undefined && b !== undefined && a.endpoint === b.endpoint && isUnknown;
}

/** Returns true if the recorded claim of the second object is stronger. */
export function beats(
  { environment, object }: { environment: Environment; object: KubeObject },
  other: KubeObject,
): boolean {
  return byStrength(environment, other, object) < 0;
}

/** Returns `namespace/name` of the CloudAccount of an object. */
export function accountOf(object: KubeObject): string {
  const { accountRef } = (object.spec ?? {}) as CommonSpec;
  return `${accountRef?.namespace ?? object.metadata.namespace ?? ""}/${accountRef?.name ?? "default"}`;
}

/**
 * Returns the place of an object in the queue: its namespace, then its CloudAccount. An object can name any CloudAccount,
 * so the namespace comes first. A CloudAccount does not wait for the objects of the account.
 */
export function laneOf({ caches }: Pick<Environment, "caches">, key: string): Place {
  const { kind, ...ref } = parseKey(key);
  const tenant = ref.namespace ?? "";
  if (kind === "CloudAccount") return { tenant, lane: key };
  const object = caches.get(kind)?.get(ref);
  return { tenant, lane: object ? accountOf(object) : "" };
}

/** Returns the CloudAccount of an object. */
export function cloudAccountOf({ caches }: Pick<Environment, "caches">, object: KubeObject): KubeObject | undefined {
  const [namespace = "", name = ""] = accountOf(object).split("/");
  return caches.get("CloudAccount")?.get({ namespace, name });
}

/** Returns the identity that the CloudAccount recorded. */
export function identityOf(account: KubeObject | undefined): Identity | undefined {
  return (account?.status as AccountStatus | undefined)?.identity;
}

/**
 * Returns a name for the real account of an object. Two CloudAccounts with one identity are one real account. If the token cannot
 * read the account, a second token of the user can prove the identity. Before the first connection, the journal entry proves it.
 * `ofUser`: each user of the account has a separate collection.
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

/** Returns the name of the endpoint of a CloudAccount. */
export function endpointOf(account: KubeObject | undefined): string {
  return ((account?.spec ?? {}) as Partial<AccountSpec>).endpoint ?? "default";
}

/**
 * Returns the error of an object that waits until the claim of `holder` changes. While the operator deletes the cloud object of the
 * holder, the user does not need to act.
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

/** Returns the message that a second object owns the cloud object. `isOnly`: the account has only one cloud object of the kind. */
export function managedBy(ctx: Managed, owner: KubeObject, id: string, { isOnly = false } = {}): string {
  const way = isOnly ? "" : ", or choose another cloud object";
  const what = `${nameFor(ctx, owner)} manages ${nameOf(ctx.kind, id)}`;
  return `${what}. This object does not change it. Delete one of the two objects${way}`;
}

type Managed = Reader & { kind: Kind };

/** The object whose condition or event has the message, and its CloudAccount. */
type Reader = { object: KubeObject; cloudAccount: KubeObject | undefined };

/**
 * Names a second object in a message: `ComputeInstance shop/web-1`. The message names an object of a foreign namespace only if both
 * objects use one CloudAccount, and its owner shares existing cloud objects with the namespace of the reader.
 */
export function nameFor({ object, cloudAccount }: Reader, other: KubeObject): string {
  const { namespace = "" } = object.metadata;
  const account = accountOf(object);
  const isKnown =
    other.metadata.namespace === namespace ||
    (accountOf(other) === account && grantsIn(cloudAccount, account, namespace).existing);
  return isKnown ? nameOfKey(keyOfObject(other)) : "an object of another namespace";
}

/** Names an object by its key, as `nameFor` does. The object may be deleted. */
export function nameForKey(ctx: Reader & { environment: Pick<Environment, "caches"> }, key: string): string {
  const { kind, ...ref } = parseKey(key);
  const other = ctx.environment.caches.get(kind)?.get(ref);
  if (other) return nameFor(ctx, other);
  return ref.namespace === ctx.object.metadata.namespace ? nameOfKey(key) : "an object of another namespace";
}

/** Returns true for the policy Observe. The object then changes nothing, and blocks no second object. */
export function observes(object: KubeObject): boolean {
  return ((object.spec ?? {}) as CommonSpec).management?.policy === "Observe";
}

/**
 * Sorts the stronger object first: applied before adopted, then a recorded ID before none, then the older object, then the smaller
 * UID. An ID that the object only observed so far is no claim.
 */
function byStrength(environment: Environment, a: KubeObject, b: KubeObject): number {
  const [ofA, ofB] = [storedRecord(environment, a), storedRecord(environment, b)];
  const isManaged = ({ appliedGeneration }: Stored) => Number(appliedGeneration !== undefined);
  const isRecorded = ({ id, adoption }: Stored) => Number(id !== undefined && adoption?.observing !== true);
  return (
    isManaged(ofB) - isManaged(ofA) ||
    isRecorded(ofB) - isRecorded(ofA) ||
    a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
    a.metadata.uid.localeCompare(b.metadata.uid)
  );
}
