/**
 * The known facts about the cloud object of a custom resource. The operator uses the first available source: the memory of the
 * process, a signed journal entry with an ID, or the signed record.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { sameIdentity } from "../account/identity.ts";
import type { Environment } from "./environment.ts";
import type { Identity } from "../kind/account-spec.ts";
import type { Stored } from "../kind/record.ts";
import { grantsIn } from "../account/sharing.ts";
import { provenEntry, isOfObject } from "./journal.ts";
import type { JournalEntry, Statement } from "./journal.ts";
import type { Memory, Remembered } from "./memory.ts";
import { isUndeleted } from "./deletion.ts";
import { heedStored } from "./unsent.ts";
import { accountOf, cloudAccountOf, identityOf } from "./owners.ts";
import { storedRecord } from "./stored.ts";

/** The known facts at the start of a reconcile. */
export interface Known {
  remembered: Remembered;
  recorded: Stored;
  /** The CloudAccount that the object names. */
  cloudAccount: KubeObject | undefined;
  /** Identity of the account; undefined before the first connection. */
  identity: Identity | undefined;
  /** The verified content of the annotation, for this account. */
  statement: Statement;
  /** The proven journal entry of the object in the account. */
  entry: JournalEntry | undefined;
  /** The recorded cloud object is in a different account than the connected account. */
  isElsewhere: boolean;
}

/** Returns the known facts. `gone`: the object left the cluster, so no second process writes to the object. */
export function knownOf(environment: Environment, object: KubeObject, gone: boolean): Known {
  const { uid } = object.metadata;
  const cloudAccount = cloudAccountOf(environment, object);
  const identity = identityOf(cloudAccount);
  const stored = provenEntry(object, environment.installationKey);
  heedStored(environment.memory.of(uid), stored);
  if (!gone) heedOthers(environment.memory, uid, entryIn(stored));
  const remembered = environment.memory.of(uid);
  const statement = ofThisAccount(environment, object, stored, identity);
  const last = remembered.entry ?? entryIn(stored);
  const isHere = last !== undefined && isOfAccount(environment, object, last, identity);
  return {
    remembered,
    recorded: recordOf(environment, object, remembered),
    cloudAccount,
    identity,
    statement,
    entry: remembered.entry && isHere ? remembered.entry : entryIn(statement),
    isElsewhere: last !== undefined && isOfObject(last, object) && !isHere,
  };
}

/** Returns the run. Stored values of the run have priority. Otherwise, two operators would repeatedly overwrite their values. */
export function runOf({ remembered: { run: known }, recorded: { run } }: Pick<Known, "remembered" | "recorded">) {
  return known && run?.id === known.id ? { ...known, ...run } : (known ?? run);
}

/** Returns the record of the cloud object and its operations, from the memory or from the status. */
export function recordOf(
  environment: Environment,
  object: KubeObject,
  remembered = environment.memory.of(object.metadata.uid),
): Stored {
  const stored = storedRecord(environment, object);
  const { recorded } = remembered;
  const deletedID = isUndeleted(remembered, stored.deletedID) ? undefined : stored.deletedID;
  if (recorded === undefined || recorded.id === stored.id) return { ...stored, deletedID };
  // The stored operations and the applied generation belong to a different cloud object.
  const { id, origin, adopted, applied } = recorded;
  const unknown = { operations: undefined, notes: undefined, appliedGeneration: undefined };
  return { ...stored, deletedID, id, origin, adopted, applied, ...unknown };
}

/**
 * Forgets outdated facts if a second process stored a newer journal entry and sent the request. A restored, older journal
 * entry has no effect.
 */
function heedOthers(memory: Memory, uid: string, stored: JournalEntry | undefined): void {
  const { entry } = memory.of(uid);
  if (entry && stored?.uid === entry.uid && (stored.serial ?? 0) > (entry.serial ?? 0)) memory.outdate(uid, stored);
}

function entryIn(statement: Statement): JournalEntry | undefined {
  return statement.state === "proven" ? statement.entry : undefined;
}

/** Returns the journal entry from the memory, or the proven stored entry. */
export function statedEntry(
  environment: Environment,
  object: KubeObject,
  { entry } = environment.memory.of(object.metadata.uid),
): JournalEntry | undefined {
  if (entry) return entry;
  const identity = identityOf(cloudAccountOf(environment, object));
  return entryIn(ofThisAccount(environment, object, provenEntry(object, environment.installationKey), identity));
}

function isOfAccount(
  { kinds }: Environment,
  object: KubeObject,
  { account }: JournalEntry,
  identity: Identity | undefined,
): boolean {
  if (!identity) return true;
  const { ofUser } = kinds.get(object.kind) ?? {};
  return sameIdentity(identity, account) && !(ofUser && identity.uid !== account.uid);
}

function ofThisAccount(
  environment: Environment,
  object: KubeObject,
  statement: Statement,
  identity: Identity | undefined,
): Statement {
  if (statement.state !== "proven") return statement;
  const isEarlier = !isOfObject(statement.entry, object);
  if (isOfAccount(environment, object, statement.entry, identity))
    return isEarlier ? ofEarlierObject(environment, object, statement) : statement;
  if (isEarlier) return { state: "copied" };
  return {
    state: "unproven",
    why: "belongs to a different account or user than the token. Use a token of that account and user to continue",
  };
}

/**
 * Judges a journal entry of an earlier object with the same name, from a backup or a saved manifest. The earlier object may have
 * released its cloud object since then. In a namespace that may not use foreign cloud objects, the entry therefore has no effect.
 */
function ofEarlierObject(environment: Environment, object: KubeObject, statement: Statement): Statement {
  if (environment.kinds.get(object.kind)?.shape !== "owned") return statement;
  const { namespace = "" } = object.metadata;
  const account = accountOf(object);
  if (grantsIn(cloudAccountOf(environment, object), account, namespace).existing) return statement;
  const cure = `the owner of CloudAccount ${account} can add namespace ${namespace} to spec.sharing.existing until this object is Ready`;
  return {
    state: "unproven",
    why: `is of an earlier object with this name, which may have released its cloud object since. To restore this object, ${cure}`,
  };
}
