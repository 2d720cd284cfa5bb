import { rootCertificates } from "node:tls";
import { Readable } from "node:stream";
import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import { HttpError } from "./errors.ts";
import { createBody } from "./body.ts";

export interface Exchange {
  dispatcher: Dispatcher;
  clock: Clock;
  method: string;
  url: string;
  /** Name of the target in errors. Never contains the query, which may be a signature. */
  name: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  maxBytes: number;
  /** Called immediately before the request is sent. An error cancels the request. */
  onSent?: () => void;
}

export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  text: string;
}

/**
 * Sends one request and reads the complete response, with any status. Does not follow redirects. Throws `HttpError`:
 * `refused` if the request was never sent, because no connection was made; otherwise `ambiguous`.
 */
export async function exchange({ name, ...call }: Exchange): Promise<Answer> {
  const progress = { left: false };
  try {
    return await answerTo(call, progress);
  } catch (cause) {
    const { method, signal } = call;
    const { left } = progress;
    const what = left ? "got no complete response" : "could not be sent";
    const reason = signal.aborted ? reasonOf(signal.reason) : reasonOf(cause);
    throw new HttpError(`${what}: ${reason}`, { method, path: name, outcome: left ? "ambiguous" : "refused", cause });
  }
}

/** Cause of the `HttpError` of a response that is too large. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
  constructor(maxBytes: number) {
    super(`the response is larger than ${maxBytes} bytes`);
  }
}

/** A longer error body is not from the API. The client drops the body and uses the status. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Dispatches a request. undici starts a request on an open connection, immediately before the first byte. From then on,
 * the request counts as sent. A call that ends earlier has no controller yet; undici later skips the call.
 */
function answerTo(
  { dispatcher, clock, method, url, headers, body, signal, maxBytes, onSent }: Omit<Exchange, "name">,
  progress: { left: boolean },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url);
    const plain = body === undefined || isPlain(body) ? body : Readable.from(body);
    const received = createBody(clock);
    let begun: Omit<Answer, "text"> | undefined;
    let running: Dispatcher.DispatchController | undefined;
    const stop = () => {
      running?.abort(signal.reason as Error);
      fail(signal.reason as Error);
    };
    const end = (answer: Answer) => {
      received.end();
      signal.removeEventListener("abort", stop);
      resolve(answer);
    };
    const fail = (error: Error) => {
      received.end();
      signal.removeEventListener("abort", stop);
      if (plain instanceof Readable) plain.destroy();
      reject(error);
    };
    if (signal.aborted) return fail(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    dispatcher.dispatch(
      { origin, path: `${pathname}${search}`, method, headers, body: plain ?? null },
      {
        onRequestStart(controller) {
          if (signal.aborted) return controller.abort(signal.reason as Error);
          try {
            onSent?.();
          } catch (error) {
            fail(error as Error);
            return controller.abort(error as Error);
          }
          progress.left = true;
          running = controller;
        },
        onResponseStart(_controller, status, headersReceived) {
          if (status >= 200) begun = { status, headers: headersReceived };
        },
        onResponseData(controller, chunk) {
          const failure = begun && begun.status >= 400 ? begun : undefined;
          if (received.add(controller, chunk, failure ? MAX_ERROR_BYTES : maxBytes)) return;
          if (failure) end({ ...failure, text: "" });
          controller.abort(new TooLarge(maxBytes));
        },
        onResponseEnd() {
          if (begun) end({ ...begun, text: received.text() });
          else fail(new Error("the response has no status"));
        },
        onResponseError: (_controller, error) => fail(error),
      },
    );
  });
}

export interface DispatcherOptions {
  connections?: number;
  connectMs?: number;
  /** PEM of certificate authorities to trust in addition to the built-in list, for servers and proxies. */
  ca?: string;
  proxy?: Proxy | undefined;
}

/** A proxy for HTTPS. */
export interface Proxy {
  url: string;
  /** Hosts without the proxy, separated by commas: names, names with subdomains (`.example.org`), `host:port`. */
  except?: string | undefined;
}

/**
 * Creates a pool of connections that clients share, with at most `connections` for each host. Limits only the time to
 * connect (milliseconds). The deadline of each call limits the rest.
 */
export function createDispatcher(options: DispatcherOptions = {}): Dispatcher {
  const { connections = 64, connectMs = 10_000, ca, proxy } = options;
  const tls = { timeout: connectMs, ...(ca !== undefined && { ca: [...rootCertificates, ca] }) };
  const shared = { connections, connect: tls, headersTimeout: 0, bodyTimeout: 0 };
  if (proxy === undefined) return new Agent(shared);
  const { url: httpsProxy, except: noProxy = "" } = proxy;
  // undici would read missing values from the environment, which only `process` reads.
  return new EnvHttpProxyAgent({ ...shared, httpsProxy, httpProxy: "", noProxy, requestTls: tls, proxyTls: tls });
}

function isPlain(body: NonNullable<Exchange["body"]>): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // A response can break the parser. The text of such an error concerns developers only, and the error keeps it as its cause.
  if (cause instanceof TypeError && !("code" in cause)) return "the response has an unexpected form";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
