/**
 * Layer `core/model`: types, and pure functions of the known facts about an object. The layer imports `core/kind`, `core/account`
 * and `core/watch`, and only types of `api`, `cluster` and `observe`.
 *
 * The context of one reconcile of one object. Each phase adds its results.
 */
import { ownerOf } from "./owners.ts";
import { createHmac } from "node:crypto";
import type { Json, JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Collection } from "../../observe/types.ts";
import type { Identity } from "../kind/account-spec.ts";
import type { Management } from "../kind/common-schema.ts";
import type { CommonStatus, Operation, Plan } from "../kind/status-schema.ts";
import type { Kind } from "../kind/owned.ts";
import { keepsValues, keptValues } from "../kind/fields.ts";
import { factsIn } from "../kind/record.ts";
import type { Facts, Stored } from "../kind/record.ts";
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

/** Rows that earlier attempts of an object can have created. */
export interface Duplicates {
  ids: string[];
  text: string;
}

export interface Context extends Omit<Known, "recorded"> {
  /** The last completed phase. */
  readonly phase: "started" | "connected" | "located" | "observed";
  environment: Environment;
  kind: Kind;
  key: string;
  /** The object of the last read or write. */
  object: KubeObject;
  /** The stored status. */
  status: CommonStatus;
  /** The stored record. */
  stored: Stored;
  management: Management;
  /** True for the policy Observe. The operator then changes nothing. */
  observing: boolean;
  /** Generation of the spec. A deletion increments the generation too. */
  generation: number | undefined;
  /** Start of this reconcile, clock milliseconds. */
  startedAt: number;
  /** True for a reconcile after a change by a user; false for a periodic reconcile. */
  urgent: boolean;
  /** The object is gone from the cluster. The operator still removes the result of its creation. */
  orphaned: boolean;
  /** The next status, without conditions. */
  next: Omit<Facts, "operations"> & {
    /** The last operation of each action. */
    operations: Operation[];
    plan: Plan | undefined;
    report: JsonObject | undefined;
    drift: Difference[] | undefined;
    /** The observed values in the form of the spec; undefined without a comparison, or if the kind shows none. */
    observed: JsonObject | undefined;
    /** Undefined if this reconcile did not search for duplicates. */
    duplicates: Duplicates | undefined;
    /** The reason why no Secret is published; empty for a published Secret, undefined before the decision. */
    unpublished: string | undefined;
  };
}

/** The context after the connection to the account. */
export interface Connected extends Context {
  readonly phase: "connected" | "located" | "observed";
  spec: Record<string, unknown>;
  session: Session;
  identity: Identity;
  /** True if an earlier approval still fits the observed values; undefined before the check. */
  approved?: boolean;
  /** The cloud object of the deletion; undefined before the deletion. */
  deletes?: { collection: string; id: string };
}

/** The context after the resolution of all references. */
export interface Located extends Connected {
  readonly phase: "located" | "observed";
  desired: AnyDesired;
  collection: Collection;
  /** The row comes from a read or a creation of this reconcile. */
  fresh?: boolean;
  /** Time of the read, clock milliseconds. */
  readAt?: number | undefined;
  /** The operator completed the row with recorded values that the cloud API does not show yet. */
  isRecalled?: boolean;
  /** Unreadable rows in the list before a creation. */
  unread?: string[];
  /** The cloud object that a new one replaces. */
  renews?: JournalEntry["retires"];
}

/** The context after the cloud object was found. */
export interface Observed extends Located {
  readonly phase: "observed";
  id: string;
  row: JsonObject;
  /** Only the time of creation is readable. */
  partial?: boolean;
  /** Calls that wait for an approval, the differences that they end, and the reason. */
  planned?: { calls: Call[]; shown: Difference[]; reason: "WaitingForApproval" | "AdoptionDiffers" };
  /** This reconcile decided to delete the ID. */
  intended?: boolean;
  /** The values of the Secret expire at `expiresAt`. The operator requests new values after `renewMs` milliseconds. */
  issued?: { expiresAt: string; renewMs: number };
  /**
   * The replaced cloud object in its grace period. The operator deletes it after `leftMs` milliseconds. `pending`: the plan of the
   * deletion, which waits for a user.
   */
  retires?: { id: string; leftMs: number; pending?: string } | undefined;
  /** Further reads for the report; undefined before the reads. */
  details?: Record<string, Json | undefined>;
}

export function createContext(environment: Environment, kind: Kind, object: KubeObject, orphaned: boolean): Context {
  const status = statusOf(object);
  const { management = {} } = specOf(object);
  const { recorded, ...known } = knownOf(environment, object, orphaned);
  return {
    ...known,
    phase: "started",
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
      ...factsIn(recorded),
      operations: recorded.operations ?? [],
      run: runOf({ remembered: known.remembered, recorded }),
      plan: undefined,
      report: undefined,
      drift: undefined,
      observed: undefined,
      duplicates: undefined,
      unpublished: undefined,
    },
  };
}

/** A context with the facts of later phases, if there are any. */
export type Reached<C extends Context> = C & Partial<Omit<Observed, keyof C>>;

/** Ends the phase that connects to the account. */
export function toConnected(
  ctx: Context,
  facts: Pick<Connected, "spec" | "management" | "session" | "identity">,
): Connected {
  return Object.assign(ctx, { ...facts, phase: "connected" as const });
}

/** Ends the phase that resolves the references. */
export function toLocated(ctx: Connected, facts: Pick<Located, "desired" | "collection">): Located {
  return Object.assign(ctx, { ...facts, phase: "located" as const });
}

/** Ends the phase that finds the cloud object. */
export function toObserved(ctx: Located, facts: Pick<Observed, "id" | "row" | "partial" | "fresh">): Observed {
  const desired = { ...ctx.desired, ...keptOf({ ...ctx, ...facts }) };
  return Object.assign(ctx, { ...facts, desired, phase: "observed" as const });
}

/** Returns the values that a replacement of the cloud object keeps: of its row, or of its journal entry if the row is missing. */
export function keptOf({ kind, row, entry }: Reached<Connected>): Pick<AnyDesired, "kept"> {
  if (!keepsValues(kind)) return {};
  if (row) return { kept: keptValues(kind, { row }) };
  return entry ? { kept: keptValues(kind, { pattern: entry.pattern }) } : {};
}

/**
 * Adds facts within a phase. The context stays one value: after a failed phase, the report needs the last stored version of the
 * object, and the facts of the phases before.
 */
export function withFacts<C extends Context, Facts extends Partial<Omit<Observed, "phase">>>(
  ctx: C,
  facts: Facts,
): C & Facts {
  return Object.assign(ctx, facts);
}

type CloudObject = Pick<Context["next"], "id" | "origin" | "adopted" | "applied">;

/** Sets the cloud object of the next record. Facts that are absent stay. */
export function setCloudObject({ next }: Context, facts: Partial<CloudObject>): void {
  Object.assign(next, facts);
}

export function isConnected(ctx: Context): ctx is Connected {
  return ctx.phase !== "started";
}

export function isLocated(ctx: Context): ctx is Located {
  return ctx.phase === "located" || ctx.phase === "observed";
}

export function isObserved(ctx: Context): ctx is Observed {
  return ctx.phase === "observed";
}

/** Returns the parameters of the functions of a kind. */
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
    // Few kinds use these functions. Accessors instead would keep the reconcile in memory until a full garbage collection.
    scopesHeard: () => session.client.scopesHeard(),
    now: () => session.client.serverTime(),
    reported: () => reportedOf(object),
    notes: next.notes ?? {},
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

/** Returns the collection of a kind at a path. All callers share one value, because many objects keep the collection. */
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
    // `join` makes one flat text for each row. A template would keep its pieces in memory.
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

/** Returns the reason why the cloud refuses changes now; undefined if it accepts changes. */
export function busyOf(observed: Observed) {
  const progress = observed.kind.ready?.(live(observed));
  return progress && !progress.ready && progress.busy ? progress : undefined;
}
