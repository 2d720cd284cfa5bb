/** What a kind asks of the cloud API: calls and reads, as data. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Reason } from "./reasons.ts";

/** One request that changes something, as data. */
export interface Request {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: JsonObject;
  beta?: boolean;
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
  /** No change of the spec asks for it: it is reported as drift, and never sent. */
  unasked?: boolean;
}

/**
 * Something read besides the row; the answer is kept until something changes. `paged`: all pages, as an array. `needs`:
 * members without which the answer is not what was asked for.
 */
export interface Detail {
  path: string;
  paged?: boolean;
  needs?: readonly string[];
}

/** `busy`: the API refuses changes until it has passed. */
export type Readiness =
  | { ready: true }
  | { ready: false; reason: Reason; message: string; busy?: boolean; afterMs?: number };

/** What a `release` may use of the cloud. */
export interface ReleaseTools {
  get: (path: string) => Promise<Json | undefined>;
  send: (call: Call) => Promise<Json>;
  /** A request to a URL that the API handed out. */
  sendToUrl: (method: "PUT" | "DELETE", url: string) => Promise<void>;
}

/** What a run has made: its id, and why it has failed, where it has. */
export interface Made {
  id: string;
  failed?: string;
}
