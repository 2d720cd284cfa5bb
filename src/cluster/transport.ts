// Room `cluster`: the connection to the Kubernetes API. One pool of connections serves every request of the program.
// Guarantees: any number of requests uses at most ten TLS connections. Every request ends by its deadline. The
// transport repeats only requests that are safe to repeat. Rotated credentials take effect without a restart. A body
// that is too large, or that the server does not read, affects no other request. The transport replaces a broken
// session.
// This room knows objects, watches, events and leases, but no kinds and no cloud.
// May import: queue/clock.ts (type), node, undici and, as the only room, @kubernetes/client-node.
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
  /** Path with query, percent-encoded. */
  path: string;
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Milliseconds from the call to the last byte of the response, including retries. Default 30,000. */
  deadlineMs?: number;
  /**
   * A repeat is safe. The transport then repeats the request after a lost connection, a 429, or a 503 with Retry-After.
   */
  idempotent: boolean;
  /**
   * Called when the API server has authorised the request and waits for the body. With HTTP/1.1, called before sending.
   */
  beforeBody?: () => Promise<void>;
  /** Called with the length of the response in characters, before parsing. */
  onLength?: (length: number) => void;
  /** Label in metrics. */
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
  /** Abandons the watch; `chunks` then throws. */
  abandon(): void;
}

/** One finished request, for metrics. `status` is undefined without a response. */
export interface RequestReport {
  verb: string;
  resource: string;
  status: number | undefined;
  durationMs: number;
}

export interface Transport {
  /** Returns the parsed response. Throws `KubeError`. */
  request(request: TransportRequest): Promise<unknown>;
  /** Resolves when the response has begun. Throws `KubeError`. */
  stream(request: StreamRequest): Promise<Stream>;
  /**
   * Resolves, after a lost connection, when the API server is ready, or after 30 s of responses that are not ready.
   * Callers share at most four probes a second. Rejects when the signal aborts.
   */
  reachable(signal: AbortSignal): Promise<void>;
  connectionsOpened(): number;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Called at the start, and again after the API server rejected the credentials. */
  config: () => KubeConfig;
  clock: Clock;
  onRequest?: (report: RequestReport) => void;
  /** Called with a `Warning` header of the API server, such as an unknown field or a deprecated version. */
  onWarning?: (text: string, request: { verb: string; resource: string }) => void;
  random?: () => number;
  /** Returns false if changes must not be sent, because another process is the leader. Called before each write. */
  mayWrite?: (resource: string) => boolean;
}

const defaultDeadlineMs = 30_000;
const retries = 2;
const longestRetryDelayMs = 2_000;
const probeDeadlineMs = 5_000;
/**
 * The API server starts the response to a watch immediately. Together with the read deadline, the sum stays below 90 s.
 */
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
  /** Resolves after the turn of the last large response. */
  turn: Promise<void>;
}

/** Characters. Parsing a larger response, such as a Secret of 1 MB, takes some milliseconds. */
const largeText = 65_536;

/** Gives each large response a separate turn of the event loop: 30 responses may arrive together. */
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
    // `delay` waits, on the injected clock.
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

/** Sends one request when the body may be sent. */
async function exchange(room: Room, { body, ...request }: TransportRequest, end: number): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const leave = await room.bodies.enter(callOf(request), Buffer.byteLength(text ?? ""), end);
  try {
    return await authorised(room, { ...request, ...(text !== undefined && { text }) }, end);
  } finally {
    leave();
  }
}

/** Sends a request, and sends the request again with new credentials after a 401, which applies nothing. */
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
    throw new KubeError(`${call}: not sent, because the lease has expired`, { reason: "Aborted", sent: false });
  const started = clock.now();
  const dispatcher = connections.lane("requests", access);
  const abort = new AbortController();
  const cancel = clock.schedule(Math.max(0, end - started), () => {
    abort.abort(new KubeError(`${call}: no response in time`, { reason: "Timeout" }));
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
  // A failure that hangs one connection often hangs others: also replaces a connection for requests without recent
  // responses.
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

/** Returns the body. The API server sends `100 Continue` after authorising the request, before reading the body. */
function bodyOf({ text, beforeBody }: Sendable): string | Readable | null {
  if (text === undefined) return null;
  // undici accepts any iterable, unlike its types say, and would read ahead from a stream.
  return beforeBody ? (following(beforeBody, text) as unknown as Readable) : text;
}

async function* following(beforeBody: () => Promise<void>, text: string): AsyncGenerator<Buffer> {
  await beforeBody();
  yield Buffer.from(text);
}

/** Error codes that occur before a byte is sent. */
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
    // The error of the parser quotes the response, which can be a Secret.
    throw new KubeError(`${call}: the response is not JSON`, { status, reason: "InvalidAnswer" });
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
 * Reports the warnings of a response. RFC 7234 section 5.5: `299 - "text"`, with one or several per header. A webhook
 * chooses the text, and can quote a Secret.
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
