import type { CloudClient, Json, JsonObject, Listing } from "../api/types.ts";
import type { Clock } from "../queue/clock.ts";
import { createContradictions, type Contradictions } from "./contradictions.ts";
import type { Dependents } from "./dependents.ts";
import { readRow } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { heldBackMs, isGone, notTheRow, unlessUnreadable } from "./row-answer.ts";
import { createRows, type Intake, type Rows } from "./rows.ts";
import { createSharedRead, type SharedRead } from "./shared-read.ts";
import { createSweep, type Sweep } from "./sweep.ts";
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
  /** Milliseconds between two lists, at the moment. `chance`: 0 to 1, so that not all are read at once. */
  sweepMs: (chance: number) => number;
  /** Milliseconds between two reads of rows in transition, at first. */
  fastSweepMs: number;
  wake: (keys: string[]) => void;
  log: Log;
  /** Told once of each fault of this collection that repeats with every list. */
  warnOnce: (path: string, reason: string) => void;
  /** No key needs the collection any more, and what was read is old. */
  onUnused: () => void;
}

/** One collection: what is known of it, and when it is read again. */
export interface Watch {
  collection: Collection;
  snapshot(options: ReadOptions): Promise<Snapshot>;
  read(id: string, options: ReadOptions): Promise<JsonObject | undefined>;
  put(id: string, row: JsonObject | undefined, by?: string): void;
  /** A single read or a write has shown the row since the last list began. */
  heardOf(id: string): boolean;
  /** Something may have changed: the rows named, or any. Read soon. */
  suspect(ids?: string[]): void;
  /** Clock time when the last list began; undefined before the first. */
  listedAt(): number | undefined;
  /** Dependents have changed, so the next read may come sooner. */
  plan(): void;
  close(): void;
}

interface State extends WatchOptions {
  rows: Rows;
  /** Large rows of the last list by the digest of their text: those that did not change are not read again. */
  readings: ReadonlyMap<string, Reading>;
  lists: SharedRead<Snapshot>;
  singles: Map<string, SharedRead<Found | undefined>>;
  contradictions: Contradictions;
  sweep: Sweep;
  suspects: Set<string>;
  suspectAll: boolean;
  /** Pages that the last list had: its price. */
  pages: number;
  askedAt: number;
  failures: number;
  /** Clock time before which a rate limit leaves no room for a read. */
  heldUntil: number;
  /** It was said that the collection cannot be read, and not yet that it can again. */
  saidBroken: boolean;
  jitter: number;
  closed: boolean;
}

/** What the path of a row has answered: it is there. `row` is not set where only a list tells what it is. */
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
    sweep: createSweep({ clock, dueAt: () => dueAt(state), read: () => readAgain(state) }),
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
  state.sweep.plan();
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
      state.sweep.plan();
    },
    listedAt: () => state.rows.snapshot()?.startedAt,
    plan: () => state.sweep.plan(),
    close() {
      state.closed = true;
      state.sweep.close();
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
  if (state.saidBroken) state.log.info({ path: collection.path }, "a collection can be read again");
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

/** A list is as good as its rows: one that cannot be read is there all the same, and one without an id may be any. */
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

/** Values that are read in one turn of the event loop. 3,000 values take some milliseconds: 100 small rows, or one large firewall. */
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

/** A list that is gone with its parent says nothing of its rows: each is asked for. */
function knownAndUsed({ rows, dependents, collection }: State): string[] {
  const known = rows.snapshot();
  const ids = known ? [...known.rows.keys(), ...known.unreadable.keys()] : [];
  return ids.filter((id) => dependents.uses(collection.path, id));
}

const CONFIRMED_AT_ONCE = 4;

/**
 * Pages shift: a row that a list lacks may be there. What cannot be confirmed stays, and is missing again next time.
 * Another list is not asked for, also where only a list tells what a row is: it would lack the row as well, and so on.
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
        log.debug({ path: collection.path, error }, "a row missing from its list could not be confirmed");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONFIRMED_AT_ONCE, left.length) }, worker));
}

async function single(state: State, id: string, options: ReadOptions): Promise<JsonObject | undefined> {
  const found = await find(state, id, options);
  return found && (found.row ?? listed(state, id, { ...options, after: found.startedAt }));
}

/** Whether a row is there, as its own path says. */
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

/** Only a 404, or an answer that says so, means that a row is gone; an answer that is no row at all says nothing. */
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
  // A list that began later lacks what its own path has shown. It is asked once more, and what it shows then counts.
  if (rows.get(id) === undefined && answered !== undefined && !again)
    return readOne(state, id, { startedAt: state.clock.now(), urgent }, true);
  const known = rows.get(id) ?? answered?.known;
  if (known && "unreadable" in known) throw new UnreadableRow({ id, path }, known.unreadable);
  return known && { startedAt, row: known.row };
}

/** A row that is there, as a list shows it that is no older than the read that found it. */
async function listed(state: State, id: string, options: ReadOptions): Promise<JsonObject> {
  const { rows, whole } = await state.lists.ask(options);
  const row = rows.get(id);
  if (row) return row;
  const path = state.collection.itemPath(id);
  if (!whole) throw new UnreadableRow({ id, path }, { reason: "its list has a row without an id", created: undefined });
  throw notTheRow(path, "the list does not have it");
}

/** `but`: who knows already. */
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
  const { clock, dependents, collection, fastSweepMs, askedAt, failures } = state;
  const slow = state.sweepMs(state.jitter);
  const listedAt = state.rows.snapshot()?.startedAt;
  if (!dependents.uses(collection.path)) return (listedAt ?? askedAt) + slow;
  const within = (ms: number): number => askedAt + Math.min(slow, ms * 2 ** failures);
  if (state.suspectAll || state.suspects.size > 0) return failures === 0 ? clock.now() : within(fastSweepMs);
  const due = Math.max(listedAt ?? 0, failures > 0 ? askedAt : 0) + slow;
  const { path } = collection;
  if (dependents.transitional(path).size === 0) return due;
  return Math.min(due, within(patience(askedAt - dependents.transitionalSince(path), fastSweepMs)));
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
  const old = listedAt === undefined || now - listedAt >= state.sweepMs(0);
  Object.assign(state, { askedAt: now, suspects: new Set<string>(), suspectAll: false });
  try {
    // For a mere sweep, a list that somebody began a moment ago is as good.
    const after = suspectAll || suspects.size > 0 ? { after: now } : {};
    if (suspectAll || old || ids.size > Math.max(1, state.pages)) await state.lists.ask(after);
    else await Promise.all([...ids].map((id) => single(state, id, { after: now }).catch(unlessUnreadable)));
    state.failures = 0;
  } catch (error) {
    state.suspectAll ||= suspectAll;
    for (const id of suspects) state.suspects.add(id);
    const heldMs = heldBackMs(error);
    if (heldMs !== undefined) {
      // Many are held back by one limit, and not all of them fit into the moment at which that ends.
      state.heldUntil = clock.now() + heldMs + state.random() * state.fastSweepMs;
      return log.debug({ path, error }, "a collection is read later");
    }
    state.failures += 1;
    if (!state.saidBroken) log.warn({ path, error }, "a collection could not be read; what was known of it stays");
    state.saidBroken = true;
  }
}
