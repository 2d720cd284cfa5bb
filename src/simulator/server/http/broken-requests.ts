import { STATUS_CODES } from "node:http";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../clock.ts";
import { errorBody } from "../errors.ts";

/** Milliseconds that a whole request, and only the headers, may take to arrive. */
export const ARRIVAL = { requestTimeout: 300_000, headersTimeout: 60_000 };

/** Milliseconds that a refused client may continue to send. Without the delay, the client might not read the response. */
const LINGER = 2000;

const REASONS: Readonly<Record<number, string>> = {
  400: "The request could not be read",
  405: "Method Not Allowed",
  408: "The request did not arrive in time",
  413: "The request is too large",
  417: "The expectation cannot be met",
  431: "The headers are too large",
};

/** Status by the error code of the HTTP parser. Defaults to 400. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

const answered = new WeakSet<Socket>();
const strict = new TextDecoder("utf-8", { fatal: true });

/** Responds to input that is not valid HTTP in the documented form of errors, and closes the connection. Never throws. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || answered.has(socket)) return;
  refuse(socket, STATUSES[error.code ?? ""] ?? 400);
}

/** Handles requests that Node would refuse without a body. */
export function refuseOddities(server: Server): void {
  server.on("checkExpectation", (request) => refuse(request.socket, 417));
  server.on("connect", (_request, socket) => refuse(socket as Socket, 405));
}

/** Returns the text of UTF-8 bytes, or undefined for invalid UTF-8. */
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
