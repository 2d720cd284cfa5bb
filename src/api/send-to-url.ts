import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import { createDeadline } from "./deadline.ts";
import { HttpError } from "./errors.ts";
import { exchange, type Answer } from "./http.ts";
import type { RequestMeasure, SendToUrl, UrlRequest } from "./types.ts";

export interface SendToUrlOptions {
  clock: Clock;
  dispatcher: Dispatcher;
  /** Aborts every request, at shutdown or after the lease is lost. */
  signal?: AbortSignal;
  /** Called for every request, for metrics. */
  onRequest?: (measure: RequestMeasure) => void;
}

/**
 * Creates the sender for pre-signed URLs (part 2, section 4.7, and part 3, section 4.1). Callers may repeat a request,
 * and the deadline of the lease does not apply. A request ends with the signal, after a minute, or, for streamed
 * content, after six hours.
 */
export function createSendToUrl({ clock, dispatcher, signal, onRequest }: SendToUrlOptions): SendToUrl {
  return async (method, url, sent = {}) => {
    const target = new URL(url);
    const name = `${target.origin}${target.pathname}`;
    if (target.protocol !== "https:" && target.protocol !== "http:") {
      throw new HttpError("was not sent: the URL is not an HTTP URL", { method, path: name, outcome: "refused" });
    }
    const streamed = typeof sent.content === "object" && !(sent.content instanceof Uint8Array);
    const began = clock.now();
    let status: number | undefined;
    const deadline = createDeadline(clock, began + (streamed ? STREAM_MS : PLAIN_MS), [signal, sent.signal]);
    try {
      const { content: body } = sent;
      const headers = headersOf(sent);
      const call = {
        dispatcher,
        clock,
        method,
        url,
        name,
        headers,
        signal: deadline.signal,
        maxBytes: MAX_ANSWER_BYTES,
      };
      const answer = await exchange({ ...call, ...(body !== undefined && { body }) });
      ({ status } = answer);
      return accepted(method, name, answer);
    } finally {
      deadline.end();
      // Metrics count these URLs as one operation, because the paths are names of objects.
      const operation = `${method} pre-signed URL`;
      onRequest?.({ method, operation, server: target.host, status, ms: clock.now() - began, heldMs: 0 });
    }
  };
}

const PLAIN_MS = 60_000;
const STREAM_MS = 6 * 3_600_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

function headersOf({ contentType, contentLength }: UrlRequest): Record<string, string> {
  return {
    ...(contentType !== undefined && { "content-type": contentType }),
    ...(contentLength !== undefined && { "content-length": String(contentLength) }),
  };
}

/** Returns a successful response. Omits the body of an error: stores quote the signed request. */
function accepted(method: string, path: string, { status, headers, text }: Answer) {
  if (status >= 200 && status < 300) {
    const etag = headers["etag"];
    return { status, etag: typeof etag === "string" ? etag : undefined, text };
  }
  const outcome = status >= 400 && status < 500 && status !== 408 ? "refused" : "ambiguous";
  throw new HttpError(`got status ${status}`, { method, path, status, outcome });
}
