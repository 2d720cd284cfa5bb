import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../queue/clock.ts";
import { errorFromStatus, KubeError } from "./errors.ts";
import type { StreamRequest, Transport } from "./transport.ts";
import type { KubeObject } from "./types.ts";

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: KubeObject;
}

export interface WatchOptions {
  transport: Transport;
  clock: Clock;
  /** Milliseconds without data until the connection counts as hung. */
  readDeadlineMs: number;
  /** Called when the server has accepted the watch. */
  onOpen: () => void;
}

/**
 * Yields the events of one watch until the server ends the watch, or until `readDeadlineMs` without a byte. Throws
 * `KubeError` for an error response, an ERROR event (410 after compaction), or a lost connection.
 *
 * The API server sends a bookmark about once a minute. A watch without data may hang even if the network reports no
 * error. Reopening the watch from the last version loses no event, and tests the connection.
 */
export async function* watch(request: StreamRequest, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const { transport, clock, readDeadlineMs } = options;
  const stream = await transport.stream(request);
  options.onOpen();
  let silent = false;
  const listen = () =>
    clock.schedule(readDeadlineMs, () => {
      silent = true;
      stream.abandon();
    });
  let cancel = listen();
  try {
    const lines = createLineSplitter();
    for await (const chunk of stream.chunks) {
      cancel();
      cancel = listen();
      for (const line of lines(chunk)) yield eventOf(request.resource, line);
    }
  } catch (error) {
    if (!silent) throw error;
  } finally {
    cancel();
  }
}

function createLineSplitter(): (chunk: Uint8Array) => string[] {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  return (chunk) => {
    const pieces = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).split("\n");
    const last = pieces.pop() ?? "";
    if (pieces.length > 0) {
      pieces[0] = parts.join("") + pieces[0];
      parts = [];
    }
    if (last !== "") parts.push(last);
    return pieces.filter((line) => line.trim() !== "");
  };
}

function eventOf(resource: string, line: string): WatchEvent {
  const event = parse(resource, line);
  if (event.type !== "ERROR") return event as WatchEvent;
  const { code } = event.object as unknown as { code?: number };
  throw errorFromStatus({ verb: "watch", resource }, code ?? 500, JSON.stringify(event.object));
}

function parse(resource: string, line: string): { type: string; object: KubeObject } {
  try {
    return JSON.parse(line) as { type: string; object: KubeObject };
  } catch (cause) {
    throw new KubeError(`watch ${resource}: an event is not JSON`, { reason: "InvalidAnswer", cause });
  }
}
