/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type Mutation = "POST" | "PUT" | "DELETE";

/** Who goes first when the rate limit is short, in this order. */
export type Priority = "delete" | "create" | "update" | "observe";

export interface RequestOptions {
  /** Default: by method (DELETE → delete, POST → create, PUT → update, GET → observe). */
  priority?: Priority;
  /** True where a person waits for it: may use the reserve that background reads leave. */
  urgent?: boolean;
  /** Ends the call; a mutating call that had left by then is ambiguous. */
  signal?: AbortSignal;
  /** From `reserve`: the rate limit does not hold the request back any more. */
  permit?: Permit;
  /**
   * Called each time that the rate limit has room for the request, which may have been held by it for seconds: what it
   * is based on can be read anew. Where this rejects, the request does not leave, and is refused with that as the cause.
   */
  onTurn?: () => Promise<void>;
  /**
   * Called when the request is about to leave; it may have been held by the rate limit before, or have waited for a
   * connection. Where this throws it does not leave, and is refused with what was thrown as the cause.
   */
  onSent?: () => void;
  /** True for an operation marked beta: the path segment `v4beta`. */
  beta?: boolean;
}

/** Room in the rate limit, kept for one request. */
export interface Permit {
  /** True the first time, unless it was given back. */
  use(): boolean;
  /** Leaves the room to others; nothing happens once it was used. */
  giveBack(): void;
}

/** A whole list, all its pages, read in one go. */
export interface Listing {
  rows: JsonObject[];
  /** Requests that were needed. */
  pages: number;
  /** Returns a digest of the text of a large row: rows with the same digest are equal. */
  digestOf?: (row: JsonObject) => string | undefined;
  /** Rows without an id are alike, however often it is read: one may stand for another that is not shown. */
  alike?: true;
}

/** Milliseconds between two requests that count in a limit. */
export interface Pace {
  limit: string;
  everyMs: number;
}

/**
 * The HTTP API of one account (one token), speaking the neutral word `compute` on this side.
 * Every method throws `HttpError` (api/errors.ts). Paths are relative to the version segment and begin with a slash.
 */
export interface CloudClient {
  /** One GET. Retried inside, few and short times, as are all idempotent calls; `undefined` for 204. */
  get(path: string, options?: RequestOptions): Promise<Json | undefined>;
  /** All pages of a paged list, 500 rows a page; fails whole, never partial. A list that is not paged (a bare array, or `data` without `pages`) is read as one page. `filter` becomes `X-Filter`. */
  list(path: string, options?: RequestOptions & { filter?: JsonObject }): Promise<Listing>;
  /** One mutating call, with its JSON answer. A POST is never repeated; PUT and DELETE are only after a connection that was never made, 429, or 503 with Retry-After. */
  send(method: Mutation, path: string, body?: JsonObject, options?: RequestOptions): Promise<Json>;
  /** Waits, as `send` would, for room in the rate limit, and keeps it for that call. Who does not send must give it back. */
  reserve(method: Mutation, path: string, options?: RequestOptions): Promise<Permit>;
  /** Now by the cloud's own clock, from the `Date` header of its last answer; our wall clock before the first. */
  serverTime(): Date;
  /** Scopes of the token from `X-OAuth-Scopes`; empty before the first answer; `["*"]` is everything. */
  scopes(): string[];
  /** Each such list that any answer has shown, since one of them may come of something on the way; an empty one stands for too many. */
  scopesHeard(): string[][];
  /** What is left of each rate limit met so far, for metrics. */
  limits(): { limit: string; remaining: number }[];
  /** How far apart such reads must leave for no more than this share (0 to 1) of each limit that counts for them. */
  paces(path: string, options: { paged: boolean; share: number }): Pace[];
}

/** A request to a pre-signed URL. `content` of unknown length is sent in chunks, which not every store accepts. */
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
 * One request to a URL that the API itself handed out (`url`, `upload_to`), without the token; redirects are not
 * followed. Throws `HttpError` for everything but 2xx; its text never shows the query, which is the signature.
 */
export type SendToUrl = (method: "GET" | "PUT" | "DELETE", url: string, request?: UrlRequest) => Promise<UrlAnswer>;

/** Data from elsewhere, as it comes: what is not gzip, or longer than `mostBytes`, ends it with an error, and so does `signal`. */
export type ReadSource = (
  url: string,
  options: { mostBytes: number; signal?: AbortSignal },
) => Promise<{ content: AsyncIterable<Uint8Array>; length?: number }>;

/** What one request of the client came to, for metrics. */
export interface RequestMeasure {
  method: string;
  /** Method and path with identifiers replaced: `GET /compute/instances/*`. */
  operation: string;
  /** Host, and port where it is not the scheme's, that it was sent to. */
  server: string;
  /** Undefined when no answer came. */
  status: number | undefined;
  /** From leaving to the end of the answer. */
  ms: number;
  /** Held back by the rate limit before it left. */
  heldMs: number;
}
