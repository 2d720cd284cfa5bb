import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { HttpError } from "../../src/api/errors.ts";
import { createCloudClient, type ClientOptions } from "../../src/api/client.ts";
import { createMovedClock, type MovedClock } from "../support/clock.ts";

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Reply = (response: ServerResponse, socket: Socket, received: Received) => void;

/** A server on a free port that notes what it receives and answers each request with the next reply, then with the last one. */
export async function startServer(
  ...replies: Reply[]
): Promise<{ url: string; received: Received[]; close(): Promise<void> }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const noted = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      received.push(noted);
      replies[Math.min(received.length, replies.length) - 1]?.(response, request.socket, noted);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

/** Answers JSON as the API does. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function page(rows: object[], number: number, pages: number, results: number): Reply {
  return json(200, { data: rows, page: number, pages, results });
}

export const silence: Reply = () => undefined;

/** A client on a moved clock, so that waits take as long as the test says. */
export function clientFor(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const clock = createMovedClock();
  const client = createCloudClient({
    baseUrl,
    token: () => "token-1",
    brandWord: "compute",
    clock,
    random: () => 0,
    ...options,
  });
  return { clock, client };
}

/** Moves time on until the call ends, by `upToMs` at most, so that its short waits pass but no deadline does. */
export async function settled<T>(clock: MovedClock, call: Promise<T>, upToMs = 8_000): Promise<T> {
  const progress = { ended: false };
  const end = () => (progress.ended = true);
  call.then(end, end);
  for (let moved = 0; moved < upToMs && !progress.ended; moved += 50) await clock.advance(50);
  return call;
}

/** The error a call ends with; a call that succeeds fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<HttpError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HttpError)) throw new Error(`expected an HttpError, not ${String(error)}`);
  return error;
}
