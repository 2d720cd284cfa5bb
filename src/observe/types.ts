import type { Json, JsonObject } from "../api/types.ts";

/** A collection of the API, as a kind describes it. Two refs with the same `path` are the same collection. */
export interface Collection {
  /** Path of the list, for example `/compute/instances` or `/domains/12/records`. */
  path: string;
  /** Identity of a row as an opaque string. Throws where a row, as it came, has none. */
  idOf: (row: JsonObject) => string;
  /** The part of a row worth keeping in memory. Throws for a row that cannot be read; it concerns nobody but that row. */
  project: (row: JsonObject) => JsonObject;
  /** Path of one row, for confirmation by GET. */
  itemPath: (id: string) => string;
  /** There is no list: this GET answers the only row. */
  shownAt?: string;
  /** True for an answer of it that says that there is no row. */
  absentIn?: (answer: Json | undefined) => boolean;
  /** What the path of one row answers leaves fields out, or (`only`) is no row: it tells whether the row is there, and a list what it is. */
  wholeInList?: boolean | "only";
  /** Entity type of the account events that concern rows of this collection; unset: events say nothing of it. */
  eventEntity?: string;
}

/** A row that is there and whose contents are not known. */
export interface Unreadable {
  /** Names the field that could not be read, without its value. */
  reason: string;
  /** The row's own `created`, where it is text. */
  created: string | undefined;
}

/** All rows of a collection at one moment, own later writes merged in. */
export interface Snapshot {
  rows: ReadonlyMap<string, JsonObject>;
  /** Rows that are there and could not be read: neither of `rows`, nor gone. */
  unreadable: ReadonlyMap<string, Unreadable>;
  /** False where the list has a row without an id: it may be any, so what is neither of `rows` nor `unreadable` may be there. */
  whole: boolean;
  /** Ids of the rows of which `textOf` says this text, and perhaps of some that have changed since; the first call with a function reads all rows. */
  find: (textOf: (row: JsonObject) => string, text: string) => string[];
  /** Clock milliseconds when the read began. */
  startedAt: number;
}

export interface ReadOptions {
  /** Only a read that began at or after this clock time will do; unset: what is there, of any age. */
  after?: number;
  urgent?: boolean;
  signal?: AbortSignal;
}

/** The form of the answer of a detail. */
export interface DetailShape {
  paged?: boolean;
  needs?: readonly string[];
}

/** A detail that is compared once in each sweep. `told`: not while the account's events, which tell of each change of it, can be read. */
export interface GuardedRead extends DetailShape {
  path: string;
  told: boolean;
}

/**
 * The observed state of one account's cloud, shared by all objects that use it.
 * Errors are those of the client; a failed or partial list never replaces a snapshot.
 */
export interface Observer {
  /** One read in flight is shared by all who ask. */
  snapshot(collection: Collection, options?: ReadOptions): Promise<Snapshot>;
  /** One row, confirmed by GET and merged into the snapshot; `undefined` only for a 404. Throws `UnreadableRow` for one that is there and cannot be read. */
  read(collection: Collection, id: string, options?: ReadOptions): Promise<JsonObject | undefined>;
  /** Merges what an own write answered (undefined: deleted); older reads that were under way never undo it. Wakes who else than `by` lives by the row. */
  put(collection: Collection, id: string, row: JsonObject | undefined, by?: string): void;
  /** GET of something without a list of its own (rules, access, credentials, devices of one firewall), kept until it is dirty or the slow pass. `paged`: all pages, answered as an array. `needs`: members that the answer must have; one without them is an `HttpError` and not kept. */
  detail(path: string, options?: ReadOptions & DetailShape): Promise<Json | undefined>;
  /** Clock time when the read of a detail that is kept began; undefined where nothing is. */
  readAt(path: string): number | undefined;
  /** The next `detail` of this path reads anew, as do those of paths below it. */
  invalidate(path: string): void;
  /** Says which rows a key lives by; replaces what the key said before. A changed or vanished row wakes the key. `transitional`: clock milliseconds since when the row is expected to change soon, so that it is read every few seconds, and every 15 once that lasts long. */
  depend(key: string, rows: { collection: Collection; id: string; transitional?: number | undefined }[]): void;
  /** The key expects no change any more of the rows that it lives by. */
  rest(key: string): void;
  /** Says which details guard access or money for a key: they are compared with the sweep, and a changed answer wakes the key. Replaces what the key said before. */
  guard(key: string, reads: GuardedRead[]): void;
  /** The key is gone: nothing is swept for it any more. */
  forget(key: string): void;
  /** From now on a collection in use is listed every so many milliseconds. */
  sweepEvery(ms: number): void;
  /** Seconds since the last list of each kind of collection began (the records of all domains are one), the oldest of each; for metrics. */
  ages(): { collection: string; ageSeconds: number }[];
  /** Seconds since each of the details that guard access was last compared; for metrics. */
  guardAges(): { path: string; ageSeconds: number }[];
  /** Seconds since the account's events were last read; undefined while they are not relied on. For metrics. */
  feedAge(): number | undefined;
  /** Ends sweeps and the event feed. */
  close(): void;
}
