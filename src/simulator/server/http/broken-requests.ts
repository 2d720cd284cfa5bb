import { STATUS_CODES } from "node:http";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../clock.ts";
import { errorBody } from "../errors.ts";

/** How long a request may take to arrive, milliseconds: all of it, and its headers alone. */
export const ARRIVAL = { requestTimeout: 300_000, headersTimeout: 60_000 };

/** How long a refused client may go on sending, milliseconds, so that it gets to read why. */
const LINGER = 2000;

const REASONS: Readonly<Record<number, string>> = {
  400: "The request could not be read",
  405: "Method Not Allowed",
  408: "The request did not arrive in time",
  413: "The request is too large",
  417: "The expectation cannot be met",
  431: "The headers are too large",
};

/** Status of what the HTTP parser gives up on, by the code of its error; all else is a 400. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

const answered = new WeakSet<Socket>();
const strict = new TextDecoder("utf-8", { fatal: true });

/** Answers what is not even a request in the documented error shape, and ends the connection. Never throws. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || answered.has(socket)) return;
  refuse(socket, STATUSES[error.code ?? ""] ?? 400);
}

/** Takes over what Node would answer without a body, or by closing the connection. */
export function refuseOddities(server: Server): void {
  server.on("checkExpectation", (request) => refuse(request.socket, 417));
  server.on("connect", (_request, socket) => refuse(socket as Socket, 405));
}

/** The text of these bytes, or undefined where they are no UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function refuse(socket: Socket, status: number): void {
  answered.add(socket);
  const body = JSON.stringify(errorBody([{ reason: REASONS[status] ?? "" }]));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.removeAllListeners("data");
  socket.on("data", () => {});
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
  const cancel = systemClock.schedule(LINGER, () => socket.destroy());
  socket.once("close", cancel);
  socket.on("error", () => socket.destroy());
}
