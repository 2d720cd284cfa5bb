// The way to the Kubernetes API: one set of pooled connections for everything the program asks of it.
// Guarantees: at most ten TLS connections for any number of requests; every request ends by its deadline; nothing that
// may have been applied is sent twice unless sending it twice is harmless; rotated credentials are taken up by themselves;
// a body that is too large, or that the server does not read, harms no other request; a broken session is replaced.
// This room (cluster/) knows objects, watches, events and leases, and nothing of the kinds or the cloud.
// It may import: queue/clock.ts (type), node, undici and, alone in the program, @kubernetes/client-node.
import type { Readable } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import pRetry from "p-retry";
import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import { createBodies } from "./bodies.ts";
import type { Bodies } from "./bodies.ts";
import { createConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";
import { createCredentials } from "./credentials.ts";
import type { Access, Credentials } from "./credentials.ts";
import { errorFromStatus, KubeError } from "./errors.ts";
import { createProbe } from "./probe.ts";
import { isConfidential } from "./refusal.ts";
import { delay } from "./delay.ts";

export interface TransportRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With its query, percent-encoded. */
  path: string;
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Milliseconds from the call to the last byte of the answer, retries included. Default 30,000. */
  deadlineMs?: number;
  /** Sending it twice does no harm: then it is repeated after a lost connection, a 429, or a 503 with Retry-After. */
  idempotent: boolean;
  /** Done when the request is authorised and waits for its body, which follows then; over HTTP/1.1, when it is sent. */
  beforeBody?: () => Promise<void>;
  /** Called with the characters of the answer, before the answer is parsed. */
  onLength?: (length: number) => void;
  /** How it is counted. */
  verb: string;
  resource: string;
  /** Name of the object, for errors. */
  name?: string | undefined;
}

export interface StreamRequest {
  path: string;
  accept?: string;
  resource: string;
  signal: AbortSignal;
}

/** An open watch. */
export interface Stream {
  chunks: AsyncIterable<Uint8Array>;
  /** Gives it up; `chunks` then throws. */
  abandon(): void;
}

/** One finished exchange, for metrics. `status` is undefined when no answer came. */
export interface RequestReport {
  verb: string;
  resource: string;
  status: number | undefined;
  durationMs: number;
}

export interface Transport {
  /** The parsed answer. Throws `KubeError`. */
  request(request: TransportRequest): Promise<unknown>;
  /** Resolves when the answer has begun. Throws `KubeError`. */
  stream(request: StreamRequest): Promise<Stream>;
  /**
   * After a lost connection: resolves when the API server answers and is ready, or after 30 s of answers that are not.
   * All who wait share four probes a second at most. Rejects when the signal aborts.
   */
  reachable(signal: AbortSignal): Promise<void>;
  /** Connections made since the start. */
  connectionsOpened(): number;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Called at the start, and again when the API server rejects the credentials. */
  config: () => KubeConfig;
  clock: Clock;
  onRequest?: (report: RequestReport) => void;
  /** A `Warning` header of the API server, such as an unknown field or a deprecated version. */
  onWarning?: (text: string, request: { verb: string; resource: string }) => void;
  random?: () => number;
  /** False where a change must not leave any more: another leads by now. Asked before each time that one is sent. */
  mayWrite?: (resource: string) => boolean;
}

const defaultDeadlineMs = 30_000;
const retries = 2;
const longestRetryDelayMs = 2_000;
const probeDeadlineMs = 5_000;
/** The API server answers a watch at once, before its first event. With the read deadline this stays below 90 s. */
const streamDeadlineMs = 10_000;

interface Room {
  clock: Clock;
  connections: Connections;
  bodies: Bodies;
  credentials: Credentials;
  random: () => number;
  onRequest: (report: RequestReport) => void;
  onWarning: (text: string, request: { verb: string; resource: string }) => void;
  mayWrite: (resource: string) => boolean;
  /** Resolves when the last large answer has had its turn. */
  turn: Promise<void>;
}

/** Characters. To parse a larger answer, such as a Secret of 1 MB, takes some milliseconds. */
const largeText = 65_536;

/** Lets one large answer at a time have a turn of the event loop: 30 of them may arrive together. */
function turnOf(room: Room): Promise<void> {
  room.turn = room.turn.then(() => room.clock.turn());
  return room.turn;
}

export function createTransport(options: TransportOptions): Transport {
  const { config, clock, onRequest, onWarning, random, mayWrite } = options;
  const room: Room = {
    clock,
    connections: createConnections(clock),
    bodies: createBodies(clock),
    credentials: createCredentials(config, clock),
    random: random ?? Math.random,
    onRequest: onRequest ?? (() => undefined),
    onWarning: onWarning ?? (() => undefined),
    mayWrite: mayWrite ?? (() => true),
    turn: Promise.resolve(),
  };
  const readyz: TransportRequest = {
    method: "GET",
    path: "/readyz",
    idempotent: false,
    verb: "get",
    resource: "readyz",
  };
  const reachable = createProbe(clock, () => exchange(room, readyz, clock.now() + probeDeadlineMs));
  return {
    request: (request) => withRetries(room, request),
    stream: (request) => openStream(room, request),
    reachable,
    connectionsOpened: () => room.connections.opened(),
    close: () => room.connections.close(),
  };
}

async function withRetries(room: Room, request: TransportRequest): Promise<unknown> {
  const end = room.clock.now() + (request.deadlineMs ?? defaultDeadlineMs);
  const attempt = () => exchange(room, request, end);
  if (!request.idempotent) return attempt();
  return pRetry(attempt, {
    retries,
    // The wait is ours, by the clock handed in.
    minTimeout: 0,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (!(error instanceof KubeError) || !worthRetrying(error)) return false;
      const wait = error.retryAfterMs ?? 100 * 2 ** attemptNumber * (0.5 + room.random());
      if (wait > longestRetryDelayMs || room.clock.now() + wait >= end) return false;
      await delay(room.clock, wait);
      return true;
    },
  });
}

function worthRetrying(error: KubeError): boolean {
  if (error.status === undefined) return error.reason === "ConnectionFailed";
  return error.status === 429 || (error.status === 503 && error.retryAfterMs !== undefined);
}

/** Sends one request when its body may be sent. */
async function exchange(room: Room, { body, ...request }: TransportRequest, end: number): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const leave = await room.bodies.enter(callOf(request), Buffer.byteLength(text ?? ""), end);
  try {
    return await authorised(room, { ...request, ...(text !== undefined && { text }) }, end);
  } finally {
    leave();
  }
}

/** One request and its answer, with a second try under new credentials after a 401 (which applied nothing). */
async function authorised(room: Room, request: Written, end: number): Promise<unknown> {
  const access = await room.credentials.current();
  try {
    return await exchangeOnce(room, request, access, end);
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 401 || !(await room.credentials.reject(access))) throw error;
    return exchangeOnce(room, request, await room.credentials.current(), end);
  }
}

async function exchangeOnce(room: Room, request: Written, access: Access, end: number): Promise<unknown> {
  const { clock, connections, onRequest } = room;
  const call = callOf(request);
  if (request.method !== "GET" && !room.mayWrite(request.resource))
    throw new KubeError(`${call}: not sent, because the lease has ended`, { reason: "Aborted", sent: false });
  const started = clock.now();
  const dispatcher = connections.lane("requests", access);
  const abort = new AbortController();
  const cancel = clock.schedule(Math.max(0, end - started), () => {
    abort.abort(new KubeError(`${call}: no answer in time`, { reason: "Timeout" }));
    connections.suspect("requests", dispatcher, started);
  });
  let status: number | undefined;
  try {
    const answer = await begin(dispatcher, access, request, abort.signal);
    connections.answered(dispatcher);
    status = answer.statusCode;
    surfaceWarnings(room, request, answer);
    const text = await answer.body.text();
    request.onLength?.(text.length);
    if (status >= 400) throw errorFromStatus(request, status, text, retryAfterOf(answer));
    if (text.length > largeText) await turnOf(room);
    return parse(call, status, text);
  } catch (error) {
    connections.failed("requests", dispatcher, error);
    throw asKubeError(call, error);
  } finally {
    cancel();
    onRequest({ verb: request.verb, resource: request.resource, status, durationMs: clock.now() - started });
  }
}

async function openStream(room: Room, request: StreamRequest): Promise<Stream> {
  const { clock, connections, onRequest, credentials } = room;
  const call = `watch ${request.resource}`;
  const started = clock.now();
  const access = await credentials.current();
  const dispatcher = connections.lane("watches", access);
  const abort = new AbortController();
  let heardAt = started;
  const heard = () => {
    heardAt = clock.now();
    connections.answered(dispatcher);
  };
  // What hangs one connection hangs the others: one for requests that was not heard of lately is replaced with it.
  const abandon = () => {
    abort.abort(new KubeError(`${call}: silent for too long`, { reason: "Timeout" }));
    connections.suspect("watches", dispatcher, heardAt + 1);
    connections.suspect("requests", connections.lane("requests", access), clock.now() - streamDeadlineMs);
  };
  const cancel = clock.schedule(streamDeadlineMs, abandon);
  let status: number | undefined;
  try {
    const signal = AbortSignal.any([request.signal, abort.signal]);
    const answer = await begin(dispatcher, access, { ...request, method: "GET" }, signal);
    heard();
    status = answer.statusCode;
    if (status === 401) await credentials.reject(access);
    if (status >= 400) {
      const watch = { verb: "watch", resource: request.resource };
      throw errorFromStatus(watch, status, await answer.body.text(), retryAfterOf(answer));
    }
    return { chunks: chunksOf(call, answer.body, heard), abandon };
  } catch (error) {
    connections.failed("watches", dispatcher, error);
    throw asKubeError(call, error);
  } finally {
    cancel();
    onRequest({ verb: "watch", resource: request.resource, status, durationMs: clock.now() - started });
  }
}

async function* chunksOf(call: string, body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      heard();
      yield chunk;
    }
  } catch (error) {
    throw asKubeError(call, error);
  }
}

/** A request with its body as JSON text. */
type Written = Omit<TransportRequest, "body"> & { text?: string };

type Sendable = Pick<Written, "method" | "path" | "text" | "contentType" | "accept" | "beforeBody">;

function callOf({ verb, resource }: Pick<TransportRequest, "verb" | "resource">): string {
  return `${verb} ${resource}`;
}

function begin(dispatcher: Dispatcher, access: Access, request: Sendable, signal: AbortSignal) {
  const { origin, pathname } = new URL(access.server);
  return dispatcher.request({
    origin,
    path: pathname.replace(/\/$/, "") + request.path,
    method: request.method,
    signal,
    headers: {
      accept: request.accept ?? "application/json",
      "user-agent": "cloud-platform-operator",
      ...(request.text === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
      ...access.headers,
    },
    expectContinue: request.beforeBody !== undefined,
    body: bodyOf(request),
  });
}

/** The API server says to continue when it begins to read the body, and that is after it has authorised the request. */
function bodyOf({ text, beforeBody }: Sendable): string | Readable | null {
  if (text === undefined) return null;
  // undici takes any iterable, though its types do not say so; of a stream it would read ahead.
  return beforeBody ? (following(beforeBody, text) as unknown as Readable) : text;
}

async function* following(beforeBody: () => Promise<void>, text: string): AsyncGenerator<Buffer> {
  await beforeBody();
  yield Buffer.from(text);
}

/** Codes of failures before a byte was sent. */
const neverSent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function asKubeError(call: string, error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === "AbortError") return new KubeError(`${call}: stopped`, { reason: "Aborted", cause: error });
  const sent = !(neverSent.has(code ?? "") || isTlsFailure(code));
  return new KubeError(`${call}: ${message ?? code ?? "failed"}`, { reason: "ConnectionFailed", sent, cause: error });
}

function isTlsFailure(code: string | undefined): boolean {
  return code !== undefined && (code.startsWith("ERR_TLS_") || code.includes("CERT") || code.includes("SIGNATURE"));
}

function parse(call: string, status: number, text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    // The parser's error quotes the response, which can be a Secret.
    throw new KubeError(`${call}: the answer is not JSON`, { status, reason: "InvalidAnswer" });
  }
}

function headerOf(answer: Dispatcher.ResponseData, name: string): string[] {
  const value = answer.headers[name];
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function retryAfterOf(answer: Dispatcher.ResponseData): number | undefined {
  const seconds = Number(headerOf(answer, "retry-after")[0]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/**
 * Reports the warnings of a response. RFC 7234 section 5.5: `299 - "text"`, several in one header or one each. A webhook chooses the
 * text, and can quote a Secret.
 */
function surfaceWarnings(room: Room, { verb, resource }: Written, answer: Dispatcher.ResponseData): void {
  const isHidden = isConfidential({ verb, resource });
  for (const header of headerOf(answer, "warning")) {
    for (const match of header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)) {
      const text = isHidden ? hiddenWarning : (match[1] ?? "").replace(/\\(.)/g, "$1");
      room.onWarning(text, { verb, resource });
    }
  }
}

const hiddenWarning = "a warning that the operator does not show, because the warning can contain secret values";
