export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type Mutation = "POST" | "PUT" | "DELETE";

/** Order of requests if the rate limit is short. */
export type Priority = "delete" | "create" | "update" | "observe";

export interface RequestOptions {
  /** Default: by method (DELETE → delete, POST → create, PUT → update, GET → observe). */
  priority?: Priority;
  /** True if a user waits for the request. An urgent request may use the reserve of the rate limit. */
  urgent?: boolean;
  /** Aborts the call. A mutating call that was already sent becomes ambiguous. */
  signal?: AbortSignal;
  /** From `reserve`: the request does not wait for the rate limit again. */
  permit?: Permit;
  /**
   * Called each time the rate limit has room for the request. The request may have waited for seconds: the caller can
   * read its inputs again. A rejection cancels the request. The outcome is `refused`, with the rejection as the cause.
   */
  onTurn?: () => Promise<void>;
  /**
   * Called immediately before the request is sent, after the wait for the rate limit and for a connection. An error
   * cancels the request. The outcome is `refused`, with the error as the cause.
   */
  onSent?: () => void;
  /** True for an operation marked beta: the path segment is `v4beta`. */
  beta?: boolean;
}

/** Room in the rate limit, reserved for one request. */
export interface Permit {
  /** Returns true the first time, unless the permit was given back. */
  use(): boolean;
  /** Releases the room. Ignored after `use`. */
  giveBack(): void;
}

/** A complete list with every page. */
export interface Listing {
  rows: JsonObject[];
  /** Number of requests sent. */
  pages: number;
  /** Returns a digest of the text of a large row: rows with equal digests are equal. */
  digestOf?: (row: JsonObject) => string | undefined;
  /** Set if rows without an ID are equal in each attempt. An equal row may hide a row that the list does not show. */
  alike?: true;
}

/** Milliseconds between two requests that count towards a limit. */
export interface Pace {
  limit: string;
  everyMs: number;
}

/**
 * The HTTP API of one account (one token), with the neutral word `compute`. Every method throws `HttpError`
 * (api/errors.ts). Paths are relative to the version segment and begin with a slash.
 */
export interface CloudClient {
  /** Sends one GET. Retries a few times for a short time, like every idempotent call. Returns `undefined` for 204. */
  get(path: string, options?: RequestOptions): Promise<Json | undefined>;
  /**
   * Reads every page of a list, 500 rows per page. Never returns part of a list. Reads a list without pages (an array,
   * or `data` without `pages`) as one page. `filter` becomes `X-Filter`.
   */
  list(path: string, options?: RequestOptions & { filter?: JsonObject }): Promise<Listing>;
  /**
   * Sends one mutating call and returns the JSON response. Never repeats a POST. Repeats PUT and DELETE only without a
   * connection, or after 429, or after 503 with Retry-After.
   */
  send(method: Mutation, path: string, body?: JsonObject, options?: RequestOptions): Promise<Json>;
  /** Waits for room in the rate limit, and reserves the room for a later call. The caller must use or release it. */
  reserve(method: Mutation, path: string, options?: RequestOptions): Promise<Permit>;
  /**
   * Returns the current time of the cloud, from `Date` headers. Returns the local wall clock before the first response.
   */
  serverTime(): Date;
  /**
   * Returns the scopes of the token from `X-OAuth-Scopes`; empty before the first response. `["*"]` means every scope.
   */
  scopes(): string[];
  /** Returns every scope list seen in a response: a gateway may have sent one. An empty list means too many. */
  scopesHeard(): string[][];
  /** Returns the remaining requests of each known rate limit, for metrics. */
  limits(): { limit: string; remaining: number }[];
  /** Returns the intervals between reads that use at most this share (0 to 1) of each applicable limit. */
  paces(path: string, options: { paged: boolean; share: number }): Pace[];
}

/** A request to a pre-signed URL. `content` of unknown length is sent in chunks. Some stores reject chunks. */
export interface UrlRequest {
  content?: string | Uint8Array | AsyncIterable<Uint8Array>;
  contentType?: string;
  contentLength?: number;
  signal?: AbortSignal;
}

export interface UrlAnswer {
  status: number;
  etag: string | undefined;
  text: string;
}

/**
 * Sends one request to a URL from the API (`url`, `upload_to`), without the token and without following redirects.
 * Throws `HttpError` for every status except 2xx. The error never shows the query, which is the signature.
 */
export type SendToUrl = (method: "GET" | "PUT" | "DELETE", url: string, request?: UrlRequest) => Promise<UrlAnswer>;

/** Streams data from a server outside the cloud. Fails for data that is not gzip, or longer than `mostBytes`. */
export type ReadSource = (
  url: string,
  options: { mostBytes: number; signal?: AbortSignal },
) => Promise<{ content: AsyncIterable<Uint8Array>; length?: number }>;

export interface RequestMeasure {
  method: string;
  /** Method and path with identifiers replaced: `GET /compute/instances/*`. */
  operation: string;
  /** Host, and port if not the default of the scheme. */
  server: string;
  /** Undefined without a response. */
  status: number | undefined;
  /** From sending to the end of the response. */
  ms: number;
  /** Time in the rate limit before sending. */
  heldMs: number;
}
