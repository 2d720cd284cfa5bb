/**
 * What is known of an object's cloud object, by the three places that may record it: this process, the signed intent where
 * it names an id, and the status where that is proven, in this order.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { sameIdentity } from "../account/identity.ts";
import type { Environment } from "../flow/environment.ts";
import type { Identity } from "../kind/account-spec.ts";
import { neutralValues } from "../kind/neutral.ts";
import type { CommonStatus, Run } from "../kind/status-schema.ts";
import { leaveOf } from "../model/sharing.ts";
import { provenIntent } from "./intent.ts";
import type { Intent, Statement } from "./intent.ts";
import type { Memory, Recorded, Remembered } from "./memory.ts";
import { heedStored } from "./unsent.ts";
import { accountOf, cloudAccountOf, identityOf } from "./ownership.ts";
import { doneOf, isProven } from "./proof.ts";
import type { Done } from "./proof.ts";

/** What is known of an object's cloud object when its reconcile begins. */
export interface Known {
  remembered: Remembered;
  recorded: Partial<Recorded> & Done;
  /** The CloudAccount that the object names. */
  cloudAccount: KubeObject | undefined;
  /** Whose account that is; undefined until it was connected. */
  identity: Identity | undefined;
  /** What the annotation is worth in this account. */
  statement: Statement;
  /** The intent that is proven to be of this object, in this account. */
  intent: Intent | undefined;
  /** What is recorded is in another account than the one that is connected now. */
  isElsewhere: boolean;
}

/** `gone`: the object is not in the cluster any more, so that no other process writes on it. */
export function knownOf(environment: Environment, object: KubeObject, gone: boolean): Known {
  const { uid } = object.metadata;
  const cloudAccount = cloudAccountOf(environment, object);
  const identity = identityOf(cloudAccount);
  const stored = read(environment, object);
  heedStored(environment.memory.of(uid), stored);
  if (!gone) heedOthers(environment.memory, uid, intentIn(stored));
  const remembered = environment.memory.of(uid);
  const statement = ofThisAccount(environment, object, stored, identity);
  const last = remembered.intent ?? intentIn(stored);
  const isHere = last !== undefined && isOfAccount(environment, object, last, identity);
  return {
    remembered,
    recorded: recordOf(environment, object, remembered),
    cloudAccount,
    identity,
    statement,
    intent: remembered.intent && isHere ? remembered.intent : intentIn(statement),
    isElsewhere: last !== undefined && last.uid === uid && !isHere,
  };
}

/** What this process knows, and what is stored of the same run: two operators must not write theirs in turns. */
export function runOf(
  { remembered: { run: known }, recorded }: Pick<Known, "remembered" | "recorded">,
  stored: Run | undefined,
): Run | undefined {
  const run = recorded.run ?? unproven(stored);
  return known && run?.id === known.id ? { ...known, ...run } : (known ?? run);
}

/** What a run has made is for others to use: where nothing proves it, the cloud is asked again. */
function unproven(run: Run | undefined): Run | undefined {
  if (run?.made === undefined) return run;
  const { made: _made, ...rest } = run;
  if (run.result !== "Complete") return rest;
  const { result: _result, finishedAt: _finishedAt, ...begun } = rest;
  return begun;
}

/**
 * What is recorded as the object's own, and what was done to it: by this process, or by its status. A status without a
 * valid proof counts only where it may be of an earlier version, or of before the key was lost: no intent says that it
 * should have a proof, and without an intent of ours the object is older than the key.
 */
export function recordOf(
  environment: Environment,
  object: KubeObject,
  { recorded, undeleted } = environment.memory.of(object.metadata.uid),
): Partial<Recorded> & Done {
  const status: CommonStatus = object.status ?? {};
  const key = environment.installationKey;
  // What was applied is not known where that has no proof of its own: then nothing disrupts.
  const { applied, operations, deletedID: stored, refusedAttempt, run } = doneOf(object, key);
  const deletedID = stored === undeleted ? undefined : stored;
  const done = { deletedID, refusedAttempt, run };
  if (recorded && recorded.id !== status.id) return { ...recorded, ...done };
  // What runs once records no id, and what the ids in its spec meant.
  if (status.id === undefined) return { ...done, applied };
  const own = isProven(object, key) ? status : recorded;
  if (own) return { id: status.id, origin: own.origin, adopted: own.adopted, ...done, applied, operations };
  const known = intentIn(read(environment, object));
  const owed = known ? known.statusProven || status.proof !== undefined : isYoungerThanKey(environment, object);
  return owed ? done : { ...status, ...done };
}

function isYoungerThanKey({ installationKeySince: since }: Environment, { metadata }: KubeObject): boolean {
  return since !== undefined && (metadata.creationTimestamp ?? "") > since;
}

/**
 * What this process knows is outdated where the object carries an intent that another process has stored since: that one
 * sent what it names. What people put back is older, and counts for nothing.
 */
function heedOthers(memory: Memory, uid: string, stored: Intent | undefined): void {
  const { intent } = memory.of(uid);
  if (intent && stored?.uid === intent.uid && (stored.serial ?? 0) > (intent.serial ?? 0)) memory.outdate(uid, stored);
}

function intentIn(statement: Statement): Intent | undefined {
  return statement.state === "proven" ? statement.intent : undefined;
}

/** As this process knows it, else as it is stored and proven. */
export function statedIntent(
  environment: Environment,
  object: KubeObject,
  { intent } = environment.memory.of(object.metadata.uid),
): Intent | undefined {
  if (intent) return intent;
  const identity = identityOf(cloudAccountOf(environment, object));
  return intentIn(ofThisAccount(environment, object, read(environment, object), identity));
}

function isOfAccount(
  { kinds }: Environment,
  object: KubeObject,
  { account }: Intent,
  identity: Identity | undefined,
): boolean {
  if (!identity) return true;
  const { ofUser } = kinds.get(object.kind) ?? {};
  return sameIdentity(identity, account) && !(ofUser && identity.uid !== account.uid);
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

function ofThisAccount(
  environment: Environment,
  object: KubeObject,
  statement: Statement,
  identity: Identity | undefined,
): Statement {
  if (statement.state !== "proven") return statement;
  const isEarlier = statement.intent.uid !== object.metadata.uid;
  if (isOfAccount(environment, object, statement.intent, identity))
    return isEarlier ? ofEarlierObject(environment, object, statement) : statement;
  if (isEarlier) return { state: "copied" };
  return {
    state: "unproven",
    why: "is of another account or user than the token: with a token of that one it goes on",
  };
}

/**
 * An intent of an earlier object with this name comes from a backup, or from a saved manifest. The earlier object may have released
 * its cloud object since, so the intent proves nothing in a namespace that may not use cloud objects of other users.
 */
function ofEarlierObject(environment: Environment, object: KubeObject, statement: Statement): Statement {
  if (environment.kinds.get(object.kind)?.shape !== "owned") return statement;
  const { namespace = "" } = object.metadata;
  const account = accountOf(object);
  if (leaveOf(cloudAccountOf(environment, object), account, namespace).existing) return statement;
  const cure = `the owner of CloudAccount ${account} can add namespace ${namespace} to spec.sharing.existing until this object is Ready`;
  return {
    state: "unproven",
    why: `is of an earlier object with this name, which may have released its cloud object since. To restore this object, ${cure}`,
  };
}
