import type { Dispatcher } from "undici";
import { HttpError } from "./errors.ts";
import type { ReadSource } from "./types.ts";

/** First bytes of every gzip stream. */
const gzip = [0x1f, 0x8b];

/** Longest time without data, milliseconds. */
const silentMs = 300_000;

/**
 * Creates the reader of data on servers outside the cloud. Sends no token, follows no redirects, and reads chunk by
 * chunk: memory holds only one chunk. The caller checks first whether the source is permitted.
 */
export function createReadSource({
  dispatcher,
  signal,
}: {
  dispatcher: Dispatcher;
  /** Aborts every read, at shutdown or after the lease is lost. */
  signal: AbortSignal;
}): ReadSource {
  return async (url, { mostBytes, signal: ended }) => {
    const { origin, pathname, search } = new URL(url);
    const name = `${origin}${pathname}`;
    const refuse = (why: string): never => {
      throw new HttpError(why, { method: "GET", path: name, outcome: "refused" });
    };
    const { statusCode, headers, body } = await dispatcher.request({
      origin,
      path: `${pathname}${search}`,
      method: "GET",
      headers: { accept: "*/*" },
      signal: ended ? AbortSignal.any([signal, ended]) : signal,
      headersTimeout: silentMs,
      bodyTimeout: silentMs,
    });
    // A destroyed body emits an error that has no other listener.
    body.on("error", () => undefined);
    const length = lengthIn(headers["content-length"]);
    if (statusCode !== 200 || (length ?? 0) > mostBytes) {
      body.destroy();
      refuse(statusCode === 200 ? `has more than ${mostBytes} bytes` : `got status ${statusCode}`);
    }
    // The data would end with the connection: a truncated body would look complete.
    if (length === undefined && headers["transfer-encoding"] === undefined) {
      body.destroy();
      refuse("does not say where its data ends, by Content-Length or chunks");
    }
    return { content: checked(body, mostBytes, refuse), ...(length !== undefined && { length }) };
  };
}

async function* checked(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
  refuse: (why: string) => never,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    for (const [index, byte] of gzip.entries())
      if (index >= size && index - size < chunk.length && chunk[index - size] !== byte)
        refuse("is not compressed with gzip");
    size += chunk.length;
    if (size > mostBytes) refuse(`has more than ${mostBytes} bytes`);
    yield chunk;
  }
  if (size < gzip.length) refuse("is empty");
}

function lengthIn(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d+$/.test(header) ? Number(header) : undefined;
}
