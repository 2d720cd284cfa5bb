import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import { longestHeldMs, pathOnly, readAnswer, retryAfterMs, saysJson } from "./answer.ts";
import type { Brand } from "./brand.ts";
import type { Lesson } from "./bucket.ts";
import { createDeadline } from "./deadline.ts";
import { largeBytes } from "./body.ts";
import { HttpError } from "./errors.ts";
import { exchange, type Answer } from "./http.ts";
import type { Exhausted, Limiter } from "./limiter.ts";
import { operationOf } from "./operation.ts";
import { repeating } from "./repeat.ts";
import { scrubFor } from "./scrub.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Json, JsonObject, Mutation, Permit, Priority, RequestMeasure } from "./types.ts";

/** One call of the API, with defaults filled in. */
export interface Call {
  method: Mutation | "GET";
  path: string;
  body?: JsonObject;
  /** Text of `X-Filter`, with the brand word. */
  filter?: string;
  priority: Priority;
  urgent: boolean;
  beta: boolean;
  paged: boolean;
  signal?: AbortSignal;
  permit?: Permit;
  /** Called when the rate limit has room for the request. A rejection cancels the request. */
  onTurn?: () => Promise<void>;
  /** Called immediately before the request is sent. An error cancels the request. */
  onSent?: () => void;
}

export interface Caller {
  send: (call: Call) => Promise<Json | undefined>;
  reserve: (call: Call) => Promise<Permit>;
}

export interface CallerOptions {
  /** URL before the version segment. */
  root: string;
  token: () => string | undefined;
  /** Value of the `User-Agent` header. */
  userAgent: string;
  brand: Brand;
  clock: Clock;
  serviceClock: ServiceClock;
  limiter: Limiter;
  dispatcher: Dispatcher;
  deadline: () => number;
  timeouts: { readMs: number; writeMs: number };
  random: () => number;
  onScopes: (list: string) => void;
  signal?: AbortSignal;
  closed?: AbortSignal;
  onRequest?: (measure: RequestMeasure) => void;
  /** Called for a request that was not sent because the rate limit is used up for too long. */
  onHeldBack?: (operation: string) => void;
  log?: { debug(fields: object, message: string): void };
}

/** Creates the caller. Waits for the rate limit, enforces a deadline, and repeats safe requests. Throws `HttpError`. */
export function createCaller(options: CallerOptions): Caller {
  const { clock, timeouts, deadline, random, root } = options;
  const server = new URL(root).host;
  const endable = async <T>(call: Call, run: (call: SentCall, signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (options.closed?.aborted) throw closedTo(call, options.closed.reason);
    const ending = createDeadline(clock, Infinity, [options.signal, call.signal]);
    try {
      return await run({ ...call, server, operation: operationOf(call.method, call.path) }, ending.signal);
    } finally {
      ending.end();
    }
  };
  const repeated = (sent: SentCall, signal: AbortSignal) => {
    const { method } = sent;
    const patience = clock.now() + (method === "GET" ? timeouts.readMs : timeouts.writeMs);
    const untilMs = () => (method === "GET" ? patience : Math.min(patience, deadline()));
    return repeating(() => attempt(options, sent, signal), { method, clock, untilMs, random, signal });
  };
  return {
    send: (call) => endable(call, repeated),
    reserve: (call) => endable(call, (sent, signal) => takeTurn(options, sent, signal)),
  };
}

function closedTo({ method, path }: Call, reason: unknown): HttpError {
  const name = pathOnly(path);
  const why = messageIn(reason);
  return new HttpError(`was not sent: ${why}`, { method, path: name, outcome: "refused" });
}

/** Most bytes of a response. For a larger page, the client requests smaller pages; 25 of the largest rows fit. */
const MAX_ANSWER_BYTES = { one: largeBytes, page: 16 * 1024 * 1024 };

interface SentCall extends Call {
  /** Host, and port if not the default of the scheme. */
  server: string;
  /** The name in rate limits and metrics. */
  operation: string;
}

async function attempt(options: CallerOptions, call: SentCall, signal: AbortSignal): Promise<Json | undefined> {
  const { brand, clock } = options;
  const asked = clock.now();
  if (call.permit?.use() !== true) await takeTurn(options, call, signal);
  if (call.onTurn) await heed(call, call.onTurn);
  const began = clock.now();
  const token = options.token();
  let status: number | undefined;
  try {
    const answer = await withinDeadline(options, call, token, signal);
    ({ status } = answer);
    takeNote(options, call, answer);
    const scrub = scrubFor(token, call.body, clock);
    const { method, path, paged } = call;
    return await readAnswer(answer, { method, path, paged, brand, scrub, clock });
  } finally {
    const { method, operation, server } = call;
    const measure = { method, operation, server, status, ms: clock.now() - began, heldMs: began - asked };
    options.onRequest?.(measure);
    options.log?.debug(measure, "request to the cloud");
  }
}

async function heed({ method, path }: Call, onTurn: () => Promise<void>): Promise<void> {
  try {
    await onTurn();
  } catch (cause) {
    const reason = cause instanceof HttpError ? `the read before it ${cause.what}` : messageIn(cause);
    const problem = { method, path: pathOnly(path), outcome: "refused", cause } as const;
    throw new HttpError(`was not sent: ${reason}`, problem);
  }
}

async function takeTurn({ limiter, onHeldBack }: CallerOptions, call: SentCall, signal: AbortSignal): Promise<Permit> {
  const { method, operation, paged, priority, urgent } = call;
  try {
    return await limiter.acquire({ operation, paged, priority, urgent, signal });
  } catch (cause) {
    const path = pathOnly(call.path);
    const wait =
      cause instanceof Error && "exhaustedForMs" in cause ? (cause as Error & Exhausted).exhaustedForMs : undefined;
    if (wait !== undefined) onHeldBack?.(operation);
    const limited = wait !== undefined && { status: 429, retryAfterMs: wait };
    const reason = messageIn(cause);
    throw new HttpError(`was not sent: ${reason}`, { method, path, outcome: "refused", ...limited });
  }
}

async function withinDeadline(
  options: CallerOptions,
  call: Call,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const { clock, timeouts, dispatcher, brand, root } = options;
  const mutating = call.method !== "GET";
  const patience = clock.now() + (mutating ? timeouts.writeMs : timeouts.readMs);
  const until = mutating ? Math.min(patience, options.deadline()) : patience;
  const name = pathOnly(call.path);
  const isOver = () => until <= clock.now();
  if (isOver()) {
    const problem = { method: call.method, path: name, outcome: "refused" } as const;
    throw new HttpError("was not sent: the lease has expired", problem);
  }
  const ending = createDeadline(clock, until, [signal]);
  try {
    return await exchange({
      dispatcher,
      clock,
      method: call.method,
      name,
      url: `${root}/${call.beta ? "v4beta" : "v4"}${brand.path(call.path)}`,
      headers: headersOf(call, token, options.userAgent),
      signal: ending.signal,
      maxBytes: call.paged ? MAX_ANSWER_BYTES.page : MAX_ANSWER_BYTES.one,
      onSent() {
        // The process may have been suspended: the connect event can arrive before the timer of the deadline.
        if (isOver()) throw new Error("the deadline has passed");
        call.onSent?.();
      },
      ...(call.body && { body: JSON.stringify(brand.toWire(call.body, call.path)) }),
    });
  } finally {
    ending.end();
  }
}

function headersOf({ body, filter }: Call, token: string | undefined, userAgent: string): Record<string, string> {
  return {
    accept: "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    "user-agent": userAgent,
    ...(body && { "content-type": "application/json" }),
    ...(filter !== undefined && { "x-filter": filter }),
  };
}

function takeNote({ serviceClock, limiter, onScopes, clock }: CallerOptions, call: SentCall, answer: Answer): void {
  const scopes = answer.headers["x-oauth-scopes"];
  serviceClock.heard(answer.headers.date);
  // A gateway may have answered. Only a successful JSON response shows the scopes of the token.
  if (typeof scopes === "string" && answer.status < 300 && saysJson(answer)) onScopes(scopes);
  const { operation, paged } = call;
  const wait = answer.status === 429 ? (retryAfterMs(answer) ?? UNNAMED_WAIT_MS) : undefined;
  limiter.learn({ operation, paged }, lessonOf(answer, clock, serviceClock), wait);
}

/** Wait for a 429 without `Retry-After`, milliseconds. */
const UNNAMED_WAIT_MS = 5_000;

/**
 * Reads the rate limit headers. `X-RateLimit-Reset` is in seconds of the cloud's clock. Ignores a window that ends too
 * late, because no later response would correct the window.
 */
function lessonOf({ headers }: Answer, clock: Clock, serviceClock: ServiceClock): Lesson | undefined {
  const figures = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map((name) =>
    Number(headers[name] ?? NaN),
  );
  const [limit = NaN, remaining = NaN, reset = NaN] = figures;
  if (figures.some((figure) => !Number.isFinite(figure)) || limit < 1) return undefined;
  const resetMs = reset * 1_000 - serviceClock.now().getTime();
  if (resetMs > longestHeldMs) return undefined;
  const resetAt = clock.now() + resetMs;
  return { limit, remaining: Math.max(0, Math.min(limit, remaining)), resetAt };
}

function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
