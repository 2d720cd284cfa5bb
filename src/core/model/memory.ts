/**
 * What the process remembers of an object between two reconciles, because it is not stored yet, or not worth storing.
 *
 * What the process knows counts more than what the object records: status and annotations can be edited. After a crash the
 * signed journal entry on the object brings back what matters.
 */
import type { Reason } from "../kind/reasons.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { createUnfinished } from "./unfinished.ts";
import type { Unfinished } from "./unfinished.ts";
import type { Stored } from "../kind/record.ts";
import type { Run } from "../kind/status-schema.ts";
import type { JournalEntry } from "./journal.ts";
import type { Claimed } from "../watch/claims.ts";
import type { Refusal } from "./refusal.ts";

/** A cloud object that is an object's own. */
export type Recorded = Pick<Stored, "origin" | "adopted" | "applied"> & { id: string };

/** Where a generated value is; `value`: as it was sent, where this process knows it. */
export interface Generated {
  name: string;
  key: string;
  value?: string;
  /** What people can do where it is lost. */
  cure: string;
}

/** A change that was sent. */
export interface Sent {
  /** How often it was sent. */
  times: number;
  /** Clock milliseconds when it was sent last. */
  at: number;
}

/** A change that did not take effect. */
export interface Ineffective extends Sent {
  mark: string;
  /** A digest of what the cloud showed after it was sent; undefined until that was seen. */
  found: string | undefined;
}

/** A member that is forgotten is set to undefined: deleting it would make the object a slow one, of four times the size. */
export type Remembered = { [Fact in keyof Facts]?: Facts[Fact] | undefined };

interface Facts {
  /** What this process recorded as the object's own, also before the status that says so is stored. */
  recorded?: Recorded;
  /** Clock milliseconds when this process created the cloud object, or found what an attempt had created. */
  madeAt?: number;
  /** What the last POST of this process asked for beside the row, by field, and at which clock milliseconds. */
  asked?: { at: number; values: JsonObject };
  /** Of what runs once: what its request is about, while that is about to leave. */
  acting?: string;
  /** Of what runs once: the origin of what each id in its spec meant at first, by field. */
  meant?: Record<string, string>;
  /** What is claimed while a journal entry is about to be stored. */
  claiming?: Claimed;
  /** The journal entry that this process stored last. */
  entry?: JournalEntry;
  /** The attempt whose POST certainly did nothing, so that it may be sent again under the same journal entry. */
  refusedAttempt?: string;
  /** The attempt that was refused because of what is there, which one before it may have created. */
  duplicated?: string;
  /** Attempts and operations that this process wrote into a journal entry, perhaps without a response, and for which it has sent nothing. */
  unsent?: Map<string, "written" | "refused">;
  /** A finalizer without a journal entry is this process's own, which has sent nothing for it. */
  unstored?: true;
  /**
   * The last POST of which it is not known what came: at which clock milliseconds that was seen, since it may have been held; and
   * what was answered, or why nothing was. Without a message it was accepted, by a response that names nothing. `before`: the IDs of
   * the list before the request.
   */
  lost?: { at: number; attempt: string; message?: string; before?: ReadonlySet<string> };
  /** Requests that the cloud API refused, by digest, the newest at the end. */
  refusals?: Map<string, Refusal>;
  /** When this process began to search for what an attempt has created, clock milliseconds; `again`: by a later list, too. `concluded`: no list showed a result until no request could take effect. */
  searched?: { attempt: string; at: number; again: boolean; concluded: boolean };
  /** What was generated for the creation that was sent last, until its Secret was seen after it. */
  generated?: Generated;
  /** What only the response to the creation of this id showed, until it is in the Secret. */
  shown?: { id: string; values: Record<string, string> };
  /** When a cloud object was deleted because nobody knows its secret, clock milliseconds, and the pause before the next, milliseconds. */
  discarded?: { at: number; pauseMs: number };
  /** What became of the last attempt to send data to this id, and how long after `at` the next one is due, milliseconds. */
  upload?: { id: string; at: number; pauseMs: number; message: string };
  /** What the object waits for, and since when, clock milliseconds. */
  waiting?: { reason: Reason; since: number };
  /** This process has seen that this id still means the cloud object that is recorded. */
  seen?: string;
  /** Our own DELETE of this id was accepted: a 404 is then no lost grant. */
  deleted?: string;
  /** Clock milliseconds when that was. */
  deletedAt?: number;
  /** How often it was. */
  deletions?: number;
  /** Our own DELETE of this id got no clear response: a 404 is then no lost grant, either. */
  askedToDelete?: string;
  /** The deletion of this id that the status may still say was sent was certainly not carried out. */
  undeleted?: string;
  /** Clock milliseconds of the last change sent: what was read before is old. */
  changedAt?: number;
  /** Of the approved plan, its hash and digests of the requests that were not sent yet; for this generation and this row. */
  approved?: { hash: string; generation: number | undefined; row: JsonObject | undefined; digests: Set<string> };
  /** The operation of what runs once whose request was certainly refused. */
  refusedOperation?: string;
  /** The one run of what runs once, as far as this process knows it. */
  run?: Run;
  /** When the account was surveyed last, clock milliseconds, for which generation, and what the token could not read. */
  surveyed?: { at: number; generation: number | undefined; unreadable: string[] };
  /** What carried-out calls keep for the report. */
  done?: JsonObject[];
  /** Changes that did not take effect, by step. */
  ineffective?: Map<string, Ineffective>;
  /** Changes that were sent against drift, by mark, the last one at the end: each time but the last they were undone. */
  undone?: Map<string, Sent>;
  /** What the kind reported when the API server refused the status, and why. */
  refusedReport?: { report: JsonObject; why: string };
  /** The object carries the finalizer by what this process knows, and this process has not taken it off. */
  held?: boolean;
  /** The lease of another operator that manages the object, when that was said last, and when this one took it over; clock milliseconds. */
  elsewhere?: { holder: string; at: number };
  takenAt?: number;
  /** How often in a row the cloud object differed from what a change was decided by. */
  changing?: number;
  /** A drift that was counted as detected and is not over; whether anything was sent against it. */
  drift?: "seen" | "repaired";
  /** The object is gone, and its cloud object is being deleted, which was said: why it is still there. */
  stray?: Reason;
  /** Clock milliseconds since which it cannot be compared, and the same for people: computed anew, it would differ by a second. */
  uncompared?: { at: number; since: string };
  /** Keeps back the event that it waits for a person, which comes once the wait has lasted. */
  notTold?: () => void;
  /** Clock milliseconds when this process first saw that it is being deleted. */
  deletingSince?: number;
  /** Clock time since when the cloud API shows nothing that can be read of what its end waits for. */
  unreadSince?: number;
}

/** A request that has the cloud act on something, by an object that is no run. */
export interface Act {
  path: string;
  by: KubeObject;
  /** Until when it may be carried out, clock milliseconds; without end while it is under way. */
  untilMs: number;
}

export interface Memory extends Unfinished {
  /** What is under way, or got no response: an event that tells of it does not tell of a run. */
  acts: Set<Act>;
  of: (uid: string) => Remembered;
  forget: (uid: string) => void;
  /** Another process has stored this journal entry: what this one knows of its own attempts and of what came of them is forgotten. */
  outdate: (uid: string, entry: JournalEntry) => void;
  /** The object is gone from the cluster: all is forgotten but a creation whose outcome must still be found. */
  release: (uid: string) => void;
  /** How long this process has known that the object is being deleted, milliseconds: our wall clock and the API server's may differ. */
  deletingMs: (uid: string, now: number) => number;
  /** This process has deleted what is at this path of an account, and seen it gone. */
  noteRemoved: (account: string, path: string) => void;
  isRemoved: (account: string, path: string) => boolean;
  /** Something is at this path again, and so is all that it is part of. */
  noteMade: (account: string, path: string) => void;
}

/** So many of them are kept, the newest. */
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
