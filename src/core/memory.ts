/**
 * What the process remembers between two looks at an object because it is not stored yet, or not worth storing.
 * Everything here may be lost in a crash: the intent on the object brings back what matters.
 */
import type { Refusal } from "./refusal.ts";

export interface Remembered {
  /** Identifier in the API, until the status that holds it is stored. */
  id?: string;
  /** The attempt whose POST certainly did nothing, so that it may be sent again under the same intent. */
  refusedAttempt?: string;
  /** Clock milliseconds when an answer to a POST was last lost: it may have been held, and sent long after its intent. */
  lostAt?: number;
  /** The creation that the service refused for good, as it was sent. */
  refusal?: Refusal;
  /** Our own DELETE of this id was accepted: a 404 is then no lost grant. */
  deleted?: string;
  /** Differences that the service kept after an update: not sent again until something changes. */
  futile?: string;
  /** The lease of another operator that looks after the object, once that was said. */
  elsewhere?: string;
  /** A drift that was counted as detected and is not over; whether anything was sent against it. */
  drift?: "seen" | "repaired";
}

export interface Memory {
  of: (uid: string) => Remembered;
  forget: (uid: string) => void;
}

export function createMemory(): Memory {
  const byUid = new Map<string, Remembered>();
  return {
    of(uid) {
      const known = byUid.get(uid) ?? {};
      byUid.set(uid, known);
      return known;
    },
    forget: (uid) => void byUid.delete(uid),
  };
}
