import type { CloudClient, Json, JsonObject, Listing } from "../api/types.ts";
import type { Clock } from "../queue/clock.ts";
import { createContradictions, type Contradictions } from "./contradictions.ts";
import type { Dependents } from "./dependents.ts";
import { readRow } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { heldBackMs, isGone, notTheRow, unlessUnreadable } from "./row-answer.ts";
import { createRows, type Intake, type Rows } from "./rows.ts";
import { createSharedRead, type SharedRead } from "./shared-read.ts";
import { createPoll, type Poll } from "./poll.ts";
import type { Collection, ReadOptions, Snapshot } from "./types.ts";
import type { Log } from "../queue/log.ts";
import { patience } from "../queue/patience.ts";
import { UnreadableRow } from "./unreadable-row.ts";

export interface WatchOptions {
  collection: Collection;
  client: CloudClient;
  clock: Clock;
  dependents: Dependents;
  random: () => number;
  /** Returns milliseconds between two lists. `chance`: 0 to 1, so that collections are not listed at the same time. */
  pollMs: (chance: number) => number;
  /** First interval between reads of rows in transition, milliseconds. */
  fastPollMs: number;
  wake: (keys: string[]) => void;
  log: Log;
  /** Called for each fault that repeats with every list. Warns once per fault. */
  warnOnce: (path: string, reason: string) => void;
  /** Called when no key needs the collection and the last read is old. */
  onUnused: () => void;
}

/** The known state of one collection, and the schedule of reads. */
export interface Watch {
  collection: Collection;
  snapshot(options: ReadOptions): Promise<Snapshot>;
  read(id: string, options: ReadOptions): Promise<JsonObject | undefined>;
  put(id: string, row: JsonObject | undefined, by?: string): void;
  /** Returns true if a single read or a write has shown the row since the last list began. */
  heardOf(id: string): boolean;
  /** Notes a possible change of the given rows, or of any row. Reads soon. */
  suspect(ids?: string[]): void;
  /** Returns the clock time when the last list began, or undefined before the first list. */
  listedAt(): number | undefined;
  /** Schedules the next read again, because the dependent keys have changed. */
  plan(): void;
  close(): void;
}

interface State extends WatchOptions {
  rows: Rows;
  /** Large rows of the last list by digest. An unchanged row is not parsed again. */
  readings: ReadonlyMap<string, Reading>;
  lists: SharedRead<Snapshot>;
  singles: Map<string, SharedRead<Found | undefined>>;
  contradictions: Contradictions;
  poll: Poll;
  suspects: Set<string>;
  suspectAll: boolean;
  /** Pages of the last list: the cost of a list in requests. */
  pages: number;
  askedAt: number;
  failures: number;
  /** Clock time before which a rate limit permits no read. */
  heldUntil: number;
  /** The log says that the collection is unreadable, and not yet that the collection is readable again. */
  saidBroken: boolean;
  jitter: number;
  closed: boolean;
}

/** A row confirmed by its own path. `row` is unset if only a list shows the contents. */
interface Found {
  startedAt: number;
  row?: JsonObject;
}

export function createWatch(options: WatchOptions): Watch {
  const { clock, collection } = options;
  const state: State = {
    ...options,
    rows: createRows(),
    readings: new Map(),
    lists: createSharedRead(clock, (read) => list(state, read)),
    singles: new Map(),
    contradictions: createContradictions({ clock, tell: (ids) => wakeFor(state, ids) }),
    poll: createPoll({ clock, dueAt: () => dueAt(state), read: () => readAgain(state) }),
    suspects: new Set(),
    suspectAll: false,
    pages: 1,
    askedAt: clock.now(),
    failures: 0,
    heldUntil: 0,
    saidBroken: false,
    closed: false,
    jitter: options.random(),
  };
  state.poll.plan();
  return {
    collection,
    snapshot: (read) => snapshot(state, read),
    read: (id, read) => single(state, id, read),
    put(id, row, by) {
      if (state.rows.row(id, row && { row }, state.rows.mark())) wakeFor(state, [id], by);
    },
    heardOf: (id) => state.rows.isLater(id),
    suspect(ids) {
      for (const id of ids ?? []) state.suspects.add(id);
      state.suspectAll ||= ids === undefined;
      state.poll.plan();
    },
    listedAt: () => state.rows.snapshot()?.startedAt,
    plan: () => state.poll.plan(),
    close() {
      state.closed = true;
      state.poll.close();
      state.contradictions.close();
    },
  };
}

function snapshot(state: State, options: ReadOptions): Promise<Snapshot> {
  const known = state.rows.snapshot();
  const good = known !== undefined && known.startedAt >= (options.after ?? -Infinity);
  return good ? Promise.resolve(known) : state.lists.ask(options);
}

interface Asked {
  startedAt: number;
  urgent: boolean;
}

async function list(state: State, { startedAt, urgent }: Asked): Promise<Snapshot> {
  const { client, collection, dependents, rows, contradictions } = state;
  const mark = rows.mark();
  const {
    rows: listed,
    pages,
    alike,
    digestOf,
  } = await listOf(client, collection, urgent).catch((error: unknown) => {
    if (isGone(error)) void confirm(state, knownAndUsed(state));
    throw error;
  });
  const { intake, whole } = await takenIn(state, listed, digestOf);
  const from = { mark, startedAt, whole: whole && !alike };
  const { changed, missing, snapshot } = intake.end(from, (id) => dependents.uses(collection.path, id));
  Object.assign(state, { pages, askedAt: startedAt, failures: 0, jitter: state.random() });
  if (state.saidBroken) state.log.info({ path: collection.path }, "a collection is readable again");
  state.saidBroken = false;
  contradictions.tell(changed);
  void confirm(state, contradictions.toConfirm(missing));
  return snapshot;
}

async function listOf(client: CloudClient, collection: Collection, urgent: boolean): Promise<Listing> {
  const { path, shownAt, absentIn } = collection;
  if (shownAt === undefined) return client.list(path, { urgent });
  const answer = await client.get(shownAt, { urgent });
  return { rows: absentIn?.(answer) ? [] : [answer as JsonObject], pages: 1 };
}

/** Merges the rows of a list. An unreadable row still exists. A row without an ID may be any row. */
async function takenIn(
  state: State,
  listed: JsonObject[],
  digestOf: Listing["digestOf"],
): Promise<{ intake: Intake; whole: boolean }> {
  const { collection, rows, warnOnce, clock } = state;
  const readings = new Map<string, Reading>();
  const intake = rows.begin();
  let whole = true;
  let read = 0;
  for (const row of listed) {
    if (read >= perTurn) {
      await clock.turn();
      read = 0;
    }
    const digest = digestOf?.(row);
    const known = digest === undefined ? undefined : state.readings.get(digest);
    read += known ? 1 : valuesIn(row);
    const reading = known ?? readRow(collection, row);
    if (digest !== undefined) readings.set(digest, reading);
    if (reading.id === undefined) {
      whole = false;
      warnOnce(collection.path, reading.reason);
    } else intake.take(reading.id, reading.known);
  }
  state.readings = readings;
  return { intake, whole };
}

/** Values read in one turn of the event loop, some milliseconds: 100 small rows, or one large firewall. */
const perTurn = 3_000;

/** Counts without recursion, because the cloud decides how deep a row is. */
function valuesIn(row: Json): number {
  const waiting: Json[] = [row];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    count += 1;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return count;
}

/** Returns the rows to confirm one by one after a 404 for the list, because the 404 concerns only the parent. */
function knownAndUsed({ rows, dependents, collection }: State): string[] {
  const known = rows.snapshot();
  const ids = known ? [...known.rows.keys(), ...known.unreadable.keys()] : [];
  return ids.filter((id) => dependents.uses(collection.path, id));
}

const CONFIRMED_AT_ONCE = 4;

/**
 * Confirms missing rows by GET, because pages shift and a missing row may exist. A row stays without a confirmation,
 * and the next list checks again. Never requests another list: the next list would not have the row either, and so on.
 */
async function confirm(state: State, missing: string[]): Promise<void> {
  const left = [...missing];
  const { collection, clock, contradictions, log } = state;
  const worker = async () => {
    for (let id = left.pop(); id !== undefined && !state.closed; id = left.pop()) {
      try {
        if (await find(state, id, { after: clock.now() })) contradictions.shown(id);
      } catch (error) {
        if (error instanceof UnreadableRow) contradictions.shown(id);
        log.debug({ path: collection.path, error }, "could not confirm a row that its list does not have");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONFIRMED_AT_ONCE, left.length) }, worker));
}

async function single(state: State, id: string, options: ReadOptions): Promise<JsonObject | undefined> {
  const found = await find(state, id, options);
  return found && (found.row ?? listed(state, id, { ...options, after: found.startedAt }));
}

/** Reads the path of a row. Returns undefined after a 404. */
async function find(state: State, id: string, options: ReadOptions): Promise<Found | undefined> {
  const { singles, clock } = state;
  const shared = singles.get(id) ?? createSharedRead(clock, (read) => readOne(state, id, read));
  singles.set(id, shared);
  try {
    return await shared.ask(options);
  } finally {
    if (shared.idle()) singles.delete(id);
  }
}

/** Reads one row. Only a 404, or a response that says so, means gone. A response that is not the row proves nothing. */
async function readOne(
  state: State,
  id: string,
  { startedAt, urgent }: Asked,
  again = false,
): Promise<Found | undefined> {
  const { client, collection, rows, contradictions } = state;
  const mark = rows.mark();
  const path = collection.itemPath(id);
  const answered = await client.get(path, { urgent }).then(
    (answer) => {
      if (collection.absentIn?.(answer)) return undefined;
      return collection.wholeInList === "only" ? { id, known: undefined } : readRow(collection, answer);
    },
    (error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    },
  );
  if (answered !== undefined && answered.id === undefined) throw notTheRow(path, answered.reason);
  if (answered !== undefined && collection.wholeInList) return { startedAt };
  if (rows.row(id, answered?.known, mark)) {
    if (answered === undefined) contradictions.gone(id);
    contradictions.tell([id]);
  }
  // A later list does not have the row, but its path does. Read the path again; the second response counts.
  if (rows.get(id) === undefined && answered !== undefined && !again)
    return readOne(state, id, { startedAt: state.clock.now(), urgent }, true);
  const known = rows.get(id) ?? answered?.known;
  if (known && "unreadable" in known) throw new UnreadableRow({ id, path }, known.unreadable);
  return known && { startedAt, row: known.row };
}

/** Returns an existing row from a list that is not older than the read that found the row. */
async function listed(state: State, id: string, options: ReadOptions): Promise<JsonObject> {
  const { rows, whole } = await state.lists.ask(options);
  const row = rows.get(id);
  if (row) return row;
  const path = state.collection.itemPath(id);
  if (!whole) throw new UnreadableRow({ id, path }, { reason: "its list has a row without an id", created: undefined });
  throw notTheRow(path, "the list does not have the row");
}

/** Wakes the keys of the rows, except `but`, which already knows. */
function wakeFor(state: State, ids: string[], but?: string): void {
  if (state.closed) return;
  const keys = new Set(ids.flatMap((id) => state.dependents.keysOf(state.collection.path, id)));
  if (but !== undefined) keys.delete(but);
  if (keys.size > 0) state.wake([...keys]);
}

function dueAt(state: State): number {
  return Math.max(wantedAt(state), state.heldUntil);
}

function wantedAt(state: State): number {
  const { clock, dependents, collection, fastPollMs, askedAt, failures } = state;
  const slow = state.pollMs(state.jitter);
  const listedAt = state.rows.snapshot()?.startedAt;
  if (!dependents.uses(collection.path)) return (listedAt ?? askedAt) + slow;
  const within = (ms: number): number => askedAt + Math.min(slow, ms * 2 ** failures);
  if (state.suspectAll || state.suspects.size > 0) return failures === 0 ? clock.now() : within(fastPollMs);
  const due = Math.max(listedAt ?? 0, failures > 0 ? askedAt : 0) + slow;
  const { path } = collection;
  if (dependents.transitional(path).size === 0) return due;
  return Math.min(due, within(patience(askedAt - dependents.transitionalSince(path), fastPollMs)));
}

async function readAgain(state: State): Promise<void> {
  const { clock, collection, dependents, rows, log } = state;
  const { path } = collection;
  if (!dependents.uses(path)) {
    state.onUnused();
    return;
  }
  const now = clock.now();
  const listedAt = rows.snapshot()?.startedAt;
  const { suspects, suspectAll } = state;
  const ids = new Set([...suspects, ...dependents.transitional(path)]);
  const old = listedAt === undefined || now - listedAt >= state.pollMs(0);
  Object.assign(state, { askedAt: now, suspects: new Set<string>(), suspectAll: false });
  try {
    // For a plain poll, a list that another caller just started is good enough.
    const after = suspectAll || suspects.size > 0 ? { after: now } : {};
    if (suspectAll || old || ids.size > Math.max(1, state.pages)) await state.lists.ask(after);
    else await Promise.all([...ids].map((id) => single(state, id, { after: now }).catch(unlessUnreadable)));
    state.failures = 0;
  } catch (error) {
    state.suspectAll ||= suspectAll;
    for (const id of suspects) state.suspects.add(id);
    const heldMs = heldBackMs(error);
    if (heldMs !== undefined) {
      // A limit delays many collections, and not every read fits into the time when the limit ends.
      state.heldUntil = clock.now() + heldMs + state.random() * state.fastPollMs;
      return log.debug({ path, error }, "the rate limit delays the read of a collection");
    }
    state.failures += 1;
    if (!state.saidBroken) log.warn({ path, error }, "could not read a collection; keeping the last known rows");
    state.saidBroken = true;
  }
}
