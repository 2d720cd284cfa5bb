import type { Json, JsonObject } from "../api/types.ts";

/** A collection of the API, described by a kind. The `path` identifies the collection. */
export interface Collection {
  /** Path of the list, for example `/compute/instances` or `/domains/12/records`. */
  path: string;
  /** Returns the identity of a row as an opaque string. Throws for a row without an identity. */
  idOf: (row: JsonObject) => string;
  /** Returns the part of a row to keep in memory. Throws for an unreadable row, which does not affect other rows. */
  project: (row: JsonObject) => JsonObject;
  /** Returns the path of one row, for a GET that confirms the row. */
  itemPath: (id: string) => string;
  /** Path of a GET that returns the only row. Set if the API has no list. */
  shownAt?: string;
  /** Returns true if the response of `shownAt` means that no row exists. */
  absentIn?: (answer: Json | undefined) => boolean;
  /** Set if the path of a row returns only some fields, or (`only`) no fields. A list then shows the contents. */
  wholeInList?: boolean | "only";
  /** Entity type in account events about rows of this collection. Unset without events. */
  eventEntity?: string;
}

/** A row that exists with unknown contents. */
export interface Unreadable {
  /** The unreadable field, without its value. */
  reason: string;
  /** `created` of the row, if a text. */
  created: string | undefined;
}

/** The rows of a collection at one time, merged with later own writes. */
export interface Snapshot {
  rows: ReadonlyMap<string, JsonObject>;
  /** Rows that exist but are unreadable. These rows are not in `rows` and not gone. */
  unreadable: ReadonlyMap<string, Unreadable>;
  /** False if the list has a row without an ID. A row in neither map may then still exist. */
  whole: boolean;
  /**
   * Returns the IDs of rows with a `textOf` equal to `text`, and possibly IDs of rows that have changed. The first call
   * with a function reads every row.
   */
  find: (textOf: (row: JsonObject) => string, text: string) => string[];
  /** Clock milliseconds when the read began. */
  startedAt: number;
}

export interface ReadOptions {
  /** Clock time at or after which the read must begin. Unset: accept a cached result of any age. */
  after?: number;
  urgent?: boolean;
  signal?: AbortSignal;
}

export interface DetailShape {
  paged?: boolean;
  needs?: readonly string[];
}

/**
 * A detail to compare once per poll. `told`: skip the comparison while the operator can read the account events,
 * because events report each change.
 */
export interface GuardedRead extends DetailShape {
  path: string;
  told: boolean;
}

/**
 * The observed state of the cloud for one account, shared by the objects of the account. Throws the errors of the
 * client. A failed or partial list never replaces a snapshot.
 */
export interface Observer {
  /** Returns the rows of a collection. Concurrent callers share a read. */
  snapshot(collection: Collection, options?: ReadOptions): Promise<Snapshot>;
  /**
   * Reads one row by GET and merges the row into the snapshot. Returns `undefined` only for a 404. Throws
   * `UnreadableRow` for a row that exists but is unreadable.
   */
  read(collection: Collection, id: string, options?: ReadOptions): Promise<JsonObject | undefined>;
  /** Merges the response to an own write (undefined: deleted). Wakes the dependent keys except `by`. */
  put(collection: Collection, id: string, row: JsonObject | undefined, by?: string): void;
  /**
   * GETs a path without a list (rules, access, credentials, devices of one firewall). Caches the response until the
   * path is dirty, or until the resync. `paged`: reads every page and returns an array. `needs`: required members. A
   * response without a required member is an `HttpError` and is not cached.
   */
  detail(path: string, options?: ReadOptions & DetailShape): Promise<Json | undefined>;
  /** Returns the clock time when the cached read of a detail began, or undefined without a cached response. */
  readAt(path: string): number | undefined;
  /** Drops the cached details of this path and of the paths below. */
  invalidate(path: string): void;
  /**
   * Replaces the rows of a key. A changed or deleted row wakes the key. `transitional`: clock milliseconds since when
   * the caller expects a change. The observer then reads the row every few seconds, and later every 15 seconds.
   */
  depend(key: string, rows: { collection: Collection; id: string; transitional?: number | undefined }[]): void;
  /** Ends the expectation of a change: the key is settled. */
  rest(key: string): void;
  /** Replaces the details that guard access or money for a key. A change in a poll wakes the key. */
  guard(key: string, reads: GuardedRead[]): void;
  /** Forgets a deleted key, and ends polls that only this key needed. */
  forget(key: string): void;
  /** Sets the interval between lists of a collection in use. */
  pollEvery(ms: number): void;
  /** Returns seconds since the oldest list of each type of collection began, for metrics. */
  ages(): { collection: string; ageSeconds: number }[];
  /** Returns seconds since the last comparison of each guarded detail, for metrics. */
  guardAges(): { path: string; ageSeconds: number }[];
  /**
   * Returns seconds since the last read of the account events, for metrics. Undefined while the feed is not healthy.
   */
  feedAge(): number | undefined;
  close(): void;
}
