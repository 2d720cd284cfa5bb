/**
 * The outcome of the last create request of an object, as far as this process knows it.
 *
 *   prepared ─▶ sent ─▶ accepted | unknown | duplicate | refused
 *
 * After a restart, the journal entry is the only evidence, and the state is `open`.
 */
import { isHttpError } from "../kind/outcome.ts";
import type { JournalEntry } from "./journal.ts";

/** The memory of an object. */
interface AttemptMemory {
  attempt?: Attempt | undefined;
}

export interface Attempt {
  /** Name of the attempt in the journal entry. */
  id: string;
  /**
   * - `open`: only the journal entry is evidence, for example after a restart.
   * - `prepared`: the journal entry is stored, and no request left.
   * - `sent`: the request has no response yet.
   * - `accepted`: the response names no cloud object.
   * - `unknown`: the request got no clear response.
   * - `duplicate`: the cloud API refused the request because of a cloud object that an earlier attempt may have created.
   * - `refused`: the request certainly had no effect. The operator can send it again with the same journal entry.
   */
  state: "open" | "prepared" | "sent" | "accepted" | "unknown" | "duplicate" | "refused";
  /** Start of the state, clock milliseconds. The network can delay an unanswered request. */
  at: number;
  /** The response or the network error; only for `unknown`. */
  message?: string;
  /** The IDs of the list before the request; only for `accepted` and `unknown`. */
  before?: ReadonlySet<string>;
  /** The search for the result. Its attempt can be an earlier one: see `refused`. */
  search?: Search;
}

export interface Search {
  attempt: string;
  /** Start of the search, clock milliseconds. */
  at: number;
  /** A later list was searched, too. */
  again: boolean;
  /** No list showed a result until the request could no longer take effect. */
  concluded: boolean;
}

/** The attempt has a journal entry, and its request certainly had no effect until now. */
export function didNothing({ attempt: known }: AttemptMemory, { attempt }: Pick<JournalEntry, "attempt">): boolean {
  return known?.id === attempt && (known.state === "prepared" || known.state === "refused");
}

/** Returns the failure of the request without a clear response; undefined for another attempt or another outcome. */
export function lostIn({ attempt: known }: AttemptMemory, { attempt }: Pick<JournalEntry, "attempt">) {
  return known?.id === attempt && (known.state === "unknown" || known.state === "accepted") ? known : undefined;
}

/** Returns true if the cloud API accepted the request with a response that names no cloud object. */
export function isAccepted(remembered: AttemptMemory, entry: Pick<JournalEntry, "attempt">): boolean {
  return lostIn(remembered, entry)?.state === "accepted";
}

export function isDuplicate({ attempt: known }: AttemptMemory, { attempt }: Pick<JournalEntry, "attempt">): boolean {
  return known?.id === attempt && known.state === "duplicate";
}

/** Returns the search for the result of the attempt. */
export function searchOf({ attempt: known }: AttemptMemory, { attempt }: Pick<JournalEntry, "attempt">) {
  return known?.search?.attempt === attempt ? known.search : undefined;
}

/** Records that the request of a stored journal entry has no effect: it did not leave, or the cloud API refused it. */
export function noteNoEffect(remembered: AttemptMemory, id: string, state: "prepared" | "refused", at = 0): void {
  const { search } = remembered.attempt ?? {};
  remembered.attempt = { id, state, at, ...(search && { search }) };
}

/** Records that the request leaves. Returns the search for an earlier attempt, which continues after a refusal. */
export function noteLeaving(remembered: AttemptMemory, id: string, at: number): Search | undefined {
  const { search } = remembered.attempt ?? {};
  remembered.attempt = { id, state: "sent", at };
  return search;
}

/** Continues the search for an earlier attempt, whose result can cause the refusal `error`. */
export function continueSearch({ attempt }: AttemptMemory, search: Search | undefined, error: unknown): void {
  if (attempt && search && isHttpError(error) && error.outcome === "refused") attempt.search = search;
}

/** Records the list in which the operator searched, from `startedAt`, clock milliseconds. */
export function noteSearched(remembered: AttemptMemory, entry: Pick<JournalEntry, "attempt">, startedAt: number): void {
  const id = entry.attempt;
  const known = remembered.attempt?.id === id ? remembered.attempt : undefined;
  const earlier = remembered.attempt?.search;
  if (earlier?.attempt === id) {
    earlier.again ||= startedAt > earlier.at;
    return;
  }
  // An attempt without an effect continues the search for the attempt before.
  const concluded = didNothing(remembered, entry) && earlier?.concluded === true;
  const search = { attempt: id, at: startedAt, again: false, concluded };
  remembered.attempt = { ...(known ?? { id, state: "open", at: startedAt }), search };
}
