/**
 * The memory of the process: facts about an object between two reconciles that no object stores, or not yet.
 *
 * The memory precedes the stored record, because users can edit status and annotations. After a crash, the signed journal entry
 * restores the important facts.
 */
import type { Reason } from "../kind/reasons.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { createUnfinished } from "./unfinished.ts";
import type { Unfinished } from "./unfinished.ts";
import type { Stored } from "../kind/record.ts";
import type { Run } from "../kind/status-schema.ts";
import type { Attempt } from "./attempt.ts";
import type { Deletion } from "./deletion.ts";
import type { JournalEntry } from "./journal.ts";
import type { Claimed } from "../watch/claims.ts";
import type { Refusal } from "./refusal.ts";

/** The cloud object of a custom resource. */
export type Recorded = Pick<Stored, "origin" | "adopted" | "applied"> & { id: string };

/** The Secret and key of a generated value. `value`: the sent value, if this process knows it. */
export interface Generated {
  name: string;
  key: string;
  value?: string;
  /** Advice for the user if the value is lost. */
  cure: string;
}

/** A sent change. */
export interface Sent {
  /** Number of requests. */
  times: number;
  /** Time of the last request, clock milliseconds. */
  at: number;
}

/** A change without effect. */
export interface Ineffective extends Sent {
  mark: string;
  /** Digest of the row after the request; undefined before the first read. */
  found: string | undefined;
}

/** An approved plan of a generation. */
export interface Approved {
  hash: string;
  generation: number | undefined;
  /** Rows by ID. The row of the plan comes first. A plan can also contain requests for a second cloud object. */
  rows: Map<string, JsonObject | undefined>;
  /** Digests of the unsent requests. */
  digests: Set<string>;
  /** Marks of the differences that the plan showed. Empty for the plan of a creation or deletion. */
  shown: Set<string>;
}

/** Set a member to undefined to forget it. `delete` would turn the object into a slow dictionary of four times the size. */
export type Remembered = { [Fact in keyof Facts]?: Facts[Fact] | undefined };

interface Facts {
  /** The recorded cloud object, also before the API server stored the status. */
  recorded?: Recorded;
  /** Time when this process created the cloud object, or found the result of an attempt, clock milliseconds. */
  madeAt?: number;
  /** Values of the last POST that no row shows, by field. `at`: time of the POST, clock milliseconds. */
  asked?: { at: number; values: JsonObject };
  /** For kinds that run once: the subject of the next request, until the request leaves. */
  acting?: string;
  /** For kinds that run once: the origin of the first cloud object behind each ID of the spec, by field. */
  meant?: Record<string, string>;
  /** The claim of the next journal entry, until the API server stored it. */
  claiming?: Claimed;
  /** The last journal entry that this process stored. */
  entry?: JournalEntry;
  /** The outcome of the last create request. */
  attempt?: Attempt;
  /** Attempts and operations in a written journal entry, possibly without a response, before any request to the cloud. */
  unsent?: Map<string, "written" | "refused">;
  /** This process added the finalizer, stored no journal entry, and sent no request to the cloud. */
  unstored?: true;
  /** Refused requests by digest, the newest last. */
  refusals?: Map<string, Refusal>;
  /** The generated value of the last creation, until this process saw its Secret afterwards. */
  generated?: Generated;
  /** Values that only the response to the creation of this ID showed, until the Secret has them. */
  shown?: { id: string; values: Record<string, string> };
  /** Deletion of a cloud object with an unknown secret. `at`: its time, clock milliseconds. `pauseMs`: pause before the next. */
  discarded?: { at: number; pauseMs: number };
  /** The result of the last upload to this ID. The next upload is due `pauseMs` milliseconds after `at`. */
  upload?: { id: string; at: number; pauseMs: number; message: string };
  /** The reason of the current wait. `since`: its start, clock milliseconds. */
  waiting?: { reason: Reason; since: number };
  /** The ID for which this process confirmed the recorded cloud object. */
  seen?: string;
  /** The outcome of the last DELETE request. */
  deletion?: Deletion;
  /** Time of the last change, clock milliseconds. Earlier reads are outdated. */
  changedAt?: number;
  /** The approved plan. */
  approved?: Approved;
  /** Hash of the approved plan whose remaining requests no longer fit. */
  overtaken?: string;
  /** The last plans, the newest last. */
  plans?: { hash: string; generation: number | undefined }[];
  /** For kinds that run once: the operation whose request the cloud API certainly refused. */
  refusedOperation?: string;
  /** For kinds that run once: the known run. */
  run?: Run;
  /** The last survey of the account. `at`: clock milliseconds. `unreadable`: collections that the token cannot read. */
  surveyed?: { at: number; generation: number | undefined; unreadable: string[] };
  /** Values of completed calls for the report. */
  done?: JsonObject[];
  /** Changes without effect, by step. */
  ineffective?: Map<string, Ineffective>;
  /** Changes against drift, by mark, the newest last. Another user undid every one except the newest. */
  undone?: Map<string, Sent>;
  /** The report that the API server refused, with the reason. */
  refusedReport?: { report: JsonObject; why: string };
  /** The object has the finalizer, and this process did not remove it. */
  held?: boolean;
  /** The lease of the other operator that manages the object. `at`: time of the last event about it, clock milliseconds. */
  elsewhere?: { holder: string; at: number };
  /** Time when this operator took over the object, clock milliseconds. */
  takenAt?: number;
  /** Number of consecutive reads that differed from the basis of a planned change. */
  changing?: number;
  /** The current drift: only detected, or also repaired. */
  drift?: "seen" | "repaired";
  /** For a deleted custom resource: the last reported reason why its cloud object still exists. */
  stray?: Reason;
  /** Start of the time without a comparison, in clock milliseconds and as text. A new text could differ by a second. */
  uncompared?: { at: number; since: string };
  /** Cancels the pending event about a long wait for a user. */
  notTold?: () => void;
  /** Time when this process first saw the deletion, clock milliseconds. */
  deletingSince?: number;
  /** Start of the time during which the cloud API returns no readable row of the dependent object, clock milliseconds. */
  unreadSince?: number;
}

/** A request that starts an action of the cloud, from an object that does not run once. */
export interface Act {
  path: string;
  by: KubeObject;
  /** End of the time in which the cloud can carry out the request, clock milliseconds. Infinity until the response. */
  untilMs: number;
}

export interface Memory extends Unfinished {
  /** Requests without a response. An account event about such a request is no evidence of a run. */
  acts: Set<Act>;
  of: (uid: string) => Remembered;
  forget: (uid: string) => void;
  /** Forgets the attempts of this process and their outcomes, because another process stored this journal entry. */
  outdate: (uid: string, entry: JournalEntry) => void;
  /** Forgets an object that is gone from the cluster, except a creation with an unknown outcome. */
  release: (uid: string) => void;
  /** Returns the milliseconds since this process saw the deletion. Does not use the API server's clock, which can differ. */
  deletingMs: (uid: string, now: number) => number;
  /** Records that this process deleted the cloud object at this path, and saw its absence. */
  noteRemoved: (account: string, path: string) => void;
  isRemoved: (account: string, path: string) => boolean;
  /** Records that the cloud object at this path exists again, and every object that contains it. */
  noteMade: (account: string, path: string) => void;
}

/** Number of kept paths. The newest remain. */
const mostRemoved = 1_000;

export function createMemory(): Memory {
  const byUid = new Map<string, Remembered>();
  const unfinished = createUnfinished();
  const removed = new Set<string>();
  const of = (uid: string): Remembered => {
    const known = byUid.get(uid) ?? {};
    byUid.set(uid, known);
    return known;
  };
  return {
    ...unfinished,
    acts: new Set(),
    noteRemoved(account, path) {
      removed.add(`${account} ${path}`);
      const [oldest = ""] = removed.size > mostRemoved ? removed : [];
      removed.delete(oldest);
    },
    isRemoved: (account, path) => removed.has(`${account} ${path}`),
    noteMade(account, path) {
      for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) removed.delete(`${account} ${at}`);
    },
    of,
    deletingMs(uid, now) {
      const known = of(uid);
      known.deletingSince ??= now;
      return now - known.deletingSince;
    },
    forget(uid) {
      byUid.delete(uid);
      unfinished.created(uid);
    },
    outdate(uid, entry) {
      const { shown, held, elsewhere, deletingSince, drift, unsent } = of(uid);
      byUid.set(uid, { entry, shown, unsent, held, elsewhere, deletingSince, drift });
    },
    release(uid) {
      if (!unfinished.isUnfinished(uid)) byUid.delete(uid);
    },
  };
}
