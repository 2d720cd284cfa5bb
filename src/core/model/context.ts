/**
 * Layer `core/model`: types, and pure functions of what is known of an object. The layer imports `core/kind`, `core/account` and
 * `core/watch`, and only types of `api`, `cluster` and `observe`.
 *
 * The context of one reconcile of one object. Each phase adds what it found.
 */
import { ownerOf } from "./owners.ts";
import { createHmac } from "node:crypto";
import type { Json, JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Collection } from "../../observe/types.ts";
import type { Identity } from "../kind/account-spec.ts";
import type { Management } from "../kind/common-schema.ts";
import type { CommonStatus, Operation, Plan, Run } from "../kind/status-schema.ts";
import type { Kind } from "../kind/owned.ts";
import type { Stored } from "../kind/record.ts";
import type { Manager, Live, Desired } from "../kind/live.ts";
import type { Environment, Session } from "./environment.ts";
import { keyOfObject } from "../kind/resource.ts";
import type { Call } from "../kind/call.ts";
import type { Difference } from "../kind/differences.ts";
import { memoize } from "../kind/memoize.ts";
import type { JournalEntry } from "./journal.ts";
import { knownOf, runOf } from "./known.ts";
import type { Known } from "./known.ts";
import { storedRecord } from "./stored.ts";
import { reportedOf, specOf, statusOf } from "../kind/object.ts";

export type AnyDesired = Desired<Record<string, unknown>, Record<string, never>>;
export type AnyLive = Live<Record<string, unknown>, Record<string, never>, JsonObject>;

/** Rows that former attempts of an object may have created. */
export interface Duplicates {
  ids: string[];
  text: string;
}

export interface Context extends Omit<Known, "recorded"> {
  environment: Environment;
  kind: Kind;
  key: string;
  /** The object as last read or written. */
  object: KubeObject;
  /** Its status as it is stored. */
  status: CommonStatus;
  /** Its record as it is stored. */
  stored: Stored;
  management: Management;
  /** The policy is Observe: nothing is changed. */
  observing: boolean;
  /** Of the spec that is carried out; a deletion is a generation of its own. */
  generation: number | undefined;
  /** Clock milliseconds when this reconcile began. */
  startedAt: number;
  /** A person's change is being carried out, as opposed to a periodic reconcile. */
  urgent: boolean;
  /** The object is gone from the cluster, and only what its creation made is still to be removed. */
  orphaned: boolean;
  /** What will be in the status, besides conditions. */
  next: {
    id: string | undefined;
    origin: string | undefined;
    adopted: boolean | undefined;
    applied: Record<string, string> | undefined;
    /** The last of each action. */
    operations: Operation[];
    deletedID: string | undefined;
    appliedGeneration: number | undefined;
    refusedAttempt: string | undefined;
    plan: Plan | undefined;
    approvedPlan: string | undefined;
    run: Run | undefined;
    report: JsonObject | undefined;
    drift: Difference[] | undefined;
    /** What the cloud has, in the words of the spec; undefined where that is not shown, or this reconcile did not get as far. */
    observed: JsonObject | undefined;
    /** Undefined if this reconcile did not search for duplicates. */
    duplicates: Duplicates | undefined;
    /** Why no Secret is published, empty where one is; undefined where this reconcile did not get as far. */
    unpublished: string | undefined;
  };
}

/** …after the spec was parsed and the account opened. */
export interface Connected extends Context {
  spec: Record<string, unknown>;
  session: Session;
  identity: Identity;
  /** Whether an approval that an earlier reconcile took up still fits what is observed; undefined until that was asked. */
  approved?: boolean;
  /** The cloud object that requests delete from now on; undefined before the deletion. */
  deletes?: { collection: string; id: string };
}

/** …after the references were found. */
export interface Located extends Connected {
  desired: AnyDesired;
  collection: Collection;
  /** The row was read, or answered by a creation, in this reconcile. */
  fresh?: boolean;
  /** When the row was read, clock milliseconds. */
  readAt?: number | undefined;
  /** The row was completed with what the cloud API does not show for the time being. */
  isRecalled?: boolean;
  /** Rows that could not be read when the collection was listed before a creation. */
  unread?: string[];
  /** The cloud object in whose place another one is created. */
  renews?: JournalEntry["retires"];
}

/** …after the cloud object was found. */
export interface Observed extends Located {
  id: string;
  row: JsonObject;
  /** The row cannot be read; what it has is its time of creation. */
  partial?: boolean;
  /** Calls that wait for an approval. */
  planned?: Call[];
  /** The deletion of this id is intended since this reconcile. */
  intended?: boolean;
  /** What the Secret holds loses its value at `expiresAt`, and is asked for again in `renewMs`. */
  issued?: { expiresAt: string; renewMs: number };
  /** What the report needs besides the row; undefined until it was read. */
  details?: Record<string, Json | undefined>;
}

export function createContext(environment: Environment, kind: Kind, object: KubeObject, orphaned: boolean): Context {
  const status = statusOf(object);
  const { management = {} } = specOf(object);
  const { recorded, ...known } = knownOf(environment, object, orphaned);
  return {
    ...known,
    environment,
    kind,
    key: keyOfObject(object),
    object,
    status,
    stored: storedRecord(environment, object),
    management,
    observing: management.policy === "Observe",
    generation: object.metadata.generation,
    startedAt: environment.clock.now(),
    urgent: status.observedGeneration !== object.metadata.generation || object.metadata.deletionTimestamp !== undefined,
    orphaned,
    next: {
      id: recorded.id,
      origin: recorded.origin,
      adopted: recorded.adopted,
      applied: recorded.applied,
      operations: recorded.operations ?? [],
      deletedID: recorded.deletedID,
      appliedGeneration: recorded.appliedGeneration,
      refusedAttempt: recorded.refusedAttempt,
      plan: undefined,
      approvedPlan: recorded.approvedPlan,
      run: runOf({ remembered: known.remembered, recorded }),
      report: undefined,
      drift: undefined,
      observed: undefined,
      duplicates: undefined,
      unpublished: undefined,
    },
  };
}

/** The cloud object as the kind sees it. */
export function live(observed: Observed): AnyLive {
  const { applied, adopted = false } = observed.next;
  const { desired, id, row: wire, details, next, issued, collection, identity: account } = observed;
  const { session, object, remembered } = observed;
  return {
    ...desired,
    id,
    wire,
    list: collection.path,
    applied,
    adopted,
    digest: digestOf(observed),
    account,
    operations: next.operations,
    // Asked by few kinds. Accessors in their place would keep the reconcile in memory until a full collection of garbage.
    scopesHeard: () => session.client.scopesHeard(),
    now: () => session.client.serverTime(),
    reported: () => reportedOf(object),
    done: remembered.done ?? [],
    managerOf: (path, managed) => managerOf(observed, path, managed),
    ...(details && { details }),
    ...(issued && { expiresAt: issued.expiresAt }),
    ...(next.run && { run: next.run }),
  };
}

function managerOf({ environment, object }: Observed, collection: string, id: string): Manager | undefined {
  const owner = ownerOf(environment, object, { collection, id });
  const isNear = owner?.metadata.namespace === object.metadata.namespace;
  return owner && { name: owner.metadata.name, isNear, spec: owner.spec ?? {} };
}

export function digestOf({ environment }: Context): (value: string) => string {
  // A user chooses the value. The prefix keeps the digest from being the signature of a record or a journal entry.
  return (value) => createHmac("sha256", environment.installationKey).update(`digest ${value}`).digest("hex");
}

/** The collection of a kind at a path. What is asked for of many objects is one for all of them, since they keep it. */
export function collectionOf(kind: Kind, path: string): Collection {
  return collectionsOf(kind)(path);
}

const collectionsOf = memoize((kind: Kind) => memoize((path: string) => collectionAt(kind, path)));

function collectionAt(kind: Kind, path: string): Collection {
  const { absentIn } = kind;
  const shownAt = absentIn ? path : kind.shownAt;
  return {
    path,
    idOf: (row) => kind.identify?.(row) ?? rowId(row),
    project: (row) => kind.wire.parse(row) as JsonObject,
    // One text, where a template would keep its pieces beside it: each row in use has one.
    itemPath: (id) => shownAt ?? kind.itemPath?.(path, id) ?? [path, encodeURIComponent(id)].join("/"),
    ...(shownAt !== undefined && { shownAt }),
    ...(absentIn && { absentIn: (answer) => absentIn(answer, path) }),
    ...(kind.wholeInList && { wholeInList: kind.wholeInList }),
    ...(kind.eventEntity !== undefined && { eventEntity: kind.eventEntity }),
  };
}

function rowId({ id }: JsonObject): string {
  if (typeof id === "string") return id;
  if (typeof id !== "number" || id <= 0) throw new TypeError("a row has no id");
  return String(id);
}

/** Why the cloud refuses changes for the time being; undefined where it does not. */
export function busyOf(observed: Observed) {
  const progress = observed.kind.ready?.(live(observed));
  return progress && !progress.ready && progress.busy ? progress : undefined;
}
