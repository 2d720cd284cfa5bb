import { rootCertificates } from "node:tls";
import { Readable } from "node:stream";
import { Agent, request, type Dispatcher } from "undici";
import { HttpError } from "./errors.ts";

export interface Exchange {
  dispatcher: Dispatcher;
  method: string;
  url: string;
  /** What errors call the target: never with a query, which may be a signature. */
  name: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  /** A longer answer is an error. */
  maxBytes: number;
}

export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  text: string;
}

/**
 * One request and its whole answer, whatever its status; redirects are answers like any other.
 * Throws `HttpError`: `refused` when the request never left, since no connection was made; otherwise `ambiguous`.
 */
export async function exchange({ dispatcher, name, signal, maxBytes, ...call }: Exchange): Promise<Answer> {
  let left = false;
  const noting = dispatcher.compose(noteStart(() => (left = true)));
  try {
    const body = call.body === undefined || isPlain(call.body) ? call.body : Readable.from(call.body);
    const { method, headers } = call;
    const answering = request(call.url, {
      dispatcher: noting,
      method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    });
    const answer = await orAbort(answering, signal);
    return { status: answer.statusCode, headers: answer.headers, text: await readText(answer.body, maxBytes) };
  } catch (cause) {
    const what = left ? "lost without a whole answer" : "never left";
    const message = `${call.method} ${name} ${what}: ${signal.aborted ? reasonOf(signal.reason) : reasonOf(cause)}`;
    throw new HttpError(message, { method: call.method, path: name, outcome: left ? "ambiguous" : "refused", cause });
  }
}

export interface DispatcherOptions {
  connections?: number;
  connectMs?: number;
  /** PEM of authorities to trust besides the built-in ones. */
  ca?: string;
}

/**
 * Connections, pooled and shared by the clients that are given them: at most so many for each host. Only the time to connect is bounded
 * here (milliseconds); the rest is bounded by each call's deadline.
 */
export function createDispatcher({ connections = 64, connectMs = 10_000, ca }: DispatcherOptions = {}): Agent {
  const connect = { timeout: connectMs, ...(ca !== undefined && { ca: [...rootCertificates, ca] }) };
  return new Agent({ connections, connect, headersTimeout: 0, bodyTimeout: 0 });
}

/** undici starts a request when it has a connection, just before the first byte is written. */
function noteStart(started: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      started();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

/** undici heeds a signal only from the start on, so a call that still waits for its connection is left behind; it is never sent. */
function orAbort<T>(answering: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    answering.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isPlain(body: NonNullable<Exchange["body"]>): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
