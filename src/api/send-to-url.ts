import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import { createDeadline } from "./deadline.ts";
import { HttpError } from "./errors.ts";
import { exchange, type Answer } from "./http.ts";
import type { RequestMeasure, SendToUrl, UrlRequest } from "./types.ts";

export interface SendToUrlOptions {
  clock: Clock;
  dispatcher: Dispatcher;
  /** Ends every request; at shutdown or a lost lease. */
  signal?: AbortSignal;
  /** Told of every request, for metrics. */
  onRequest?: (measure: RequestMeasure) => void;
}

/**
 * Creates the sender for pre-signed URLs (part 2, section 4.7, and part 3, section 4.1). These requests may be
 * repeated by their caller, so the lease's deadline does not bound them: they end with the signal, after a minute, or
 * after six hours where content is streamed.
 */
export function createSendToUrl({ clock, dispatcher, signal, onRequest }: SendToUrlOptions): SendToUrl {
  return async (method, url, sent = {}) => {
    const target = new URL(url);
    const name = `${target.origin}${target.pathname}`;
    if (target.protocol !== "https:" && target.protocol !== "http:") {
      throw new HttpError(`${method} to a URL that is not HTTP`, { method, path: name, outcome: "refused" });
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
      // All such URLs are one operation: their paths are names of objects.
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

/** The body of an error is left out: stores quote the signed request in it. */
function accepted(method: string, path: string, { status, headers, text }: Answer) {
  if (status >= 200 && status < 300) {
    const etag = headers["etag"];
    return { status, etag: typeof etag === "string" ? etag : undefined, text };
  }
  const outcome = status >= 400 && status < 500 && status !== 408 ? "refused" : "ambiguous";
  throw new HttpError(`${method} ${path} answered ${status}`, { method, path, status, outcome });
}
