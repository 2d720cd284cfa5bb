/** What a kind asks of the cloud API: calls and reads, as data. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Reason } from "./reasons.ts";

/** One request that changes something, as data. */
export interface Request {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: JsonObject;
  beta?: boolean;
  /** What the report keeps of it once it was carried out; see `done` of a live object. */
  keeps?: JsonObject;
}

/** What is to be sent to a URL that the API hands out. */
export interface Delivery {
  method: "PUT" | "DELETE";
  content?: Uint8Array;
  contentType?: string;
}

/** …with its description for people. */
export interface Call extends Request {
  /** What it does, in UpperCamelCase; becomes the event's action and reason. */
  action: string;
  /** What changes, for people: the field and both values, never a secret. */
  note: string;
  /** Repeating it destroys: it is never sent again automatically when its outcome is not known. */
  destructive?: boolean;
  /** Disruptive values that are applied once the cloud API has accepted the call. */
  applies?: Record<string, string>;
  /** As `applies`, recorded before it leaves: what it adds elsewhere is its own also if the response is lost. */
  claims?: Record<string, string>;
  /** Of what is destructive and no row shows: what it was about. The same is never sent again; the kind reads in `operations` what came of it. */
  about?: string;
  /** The field of the spec that its path names something by, besides the row: what a 404 is about. */
  pathFrom?: string;
  /** What it concerns, read afresh before it leaves: a path, and what it must show. What is gone needs no call. */
  expects?: { path: string; shows: JsonObject };
  /** No change of the spec asks for it: it is reported as drift, and never sent. */
  unasked?: boolean;
  /** ID of a cloud object that only one cloud object of the kind can have: the request takes it. See `exclusive` of a step. */
  takes?: string;
  /** …or releases it. */
  gives?: string;
}

/**
 * Something read besides the row; the answer is kept until something changes. `paged`: all pages, as an array. `needs`:
 * members without which the answer is not what was asked for.
 */
export interface Detail {
  path: string;
  paged?: boolean;
  needs?: readonly string[];
  optional?: boolean;
}

/** `busy`: the API refuses changes until it has passed. */
export type Readiness =
  | { ready: true }
  | { ready: false; reason: Reason; message: string; busy?: boolean; afterMs?: number };

/** What a `release` may use of the cloud. */
export interface ReleaseTools {
  get: (path: string) => Promise<Json | undefined>;
  send: (call: Call) => Promise<Json>;
}

/** What a run has made: its id, and why it has failed, where it has. */
export interface Made {
  id: string;
  failed?: string;
}

/** Something of the account: all pages of a list, as an array, or with `single` what one GET answers. */
export interface SurveyRead {
  path: string;
  beta?: boolean;
  single?: boolean;
}

/** What was read, and what is known of it. */
export interface Surveyed {
  /** By name; undefined for what the token may not read. */
  answers: Record<string, Json | undefined>;
  /** True where an object of this cluster manages what has this id in the collection. */
  isManaged: (collection: string, id: string) => boolean;
  /** The tag that this installation sets. */
  ownTag: string | undefined;
}

/** Which events tell of a run: their names, and the id that they are about, where that is not what was acted on. */
export interface EventsOf {
  names: string[];
  about?: string | undefined;
}
