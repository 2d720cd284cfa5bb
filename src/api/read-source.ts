import type { Dispatcher } from "undici";
import { HttpError } from "./errors.ts";
import type { ReadSource } from "./types.ts";

/** What every gzip stream begins with. */
const gzip = [0x1f, 0x8b];

/** How long a source may be silent, milliseconds. */
const silentMs = 300_000;

/**
 * Creates the reader of data that people keep elsewhere: without a token, without following redirects, and never whole in
 * memory, since a chunk is read when the one before was taken. Which sources are permitted is asked before.
 */
export function createReadSource({
  dispatcher,
  signal,
}: {
  dispatcher: Dispatcher;
  /** Ends every read; at shutdown or a lost lease. */
  signal: AbortSignal;
}): ReadSource {
  return async (url, { mostBytes, signal: ended }) => {
    const { origin, pathname, search } = new URL(url);
    const name = `${origin}${pathname}`;
    const refuse = (why: string): never => {
      throw new HttpError(`GET ${name} ${why}`, { method: "GET", path: name, outcome: "refused" });
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
    // What is destroyed before its end says so; nobody waits for it.
    body.on("error", () => undefined);
    const length = lengthIn(headers["content-length"]);
    if (statusCode !== 200 || (length ?? 0) > mostBytes) {
      body.destroy();
      refuse(statusCode === 200 ? `has more than ${mostBytes} bytes` : `answered ${statusCode}`);
    }
    // It would end with the connection, whatever is missing then.
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
