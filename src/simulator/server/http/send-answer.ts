import type { FastifyReply, FastifyRequest } from "fastify";
import type { World } from "../world.ts";
import type { OutgoingAnswer } from "./dispatch.ts";

/** What is written: headers as they are, and bytes or no body at all. */
interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer | undefined;
  /** The ledger's id of the request. */
  readonly entry: number;
}

/** Writes an answer with exactly `application/json` (not-shown section 8); Fastify would add a charset. */
export function sendAnswer(
  world: World,
  reply: FastifyReply,
  answer: OutgoingAnswer,
  options: { contentType?: string; half?: boolean } = {},
): void {
  const { contentType = "application/json", half = false } = options;
  const { status, headers, body, entry } = answer;
  const text = typeof body === "string" && contentType !== "application/json" ? body : JSON.stringify(body);
  if (body !== undefined) world.ledger.responses.keep(entry, reply.request.method, text);
  const bytes = body === undefined ? undefined : Buffer.from(text);
  const typed = bytes ? { ...headers, "Content-Type": contentType } : headers;
  writeAnswer(world, reply, { status, headers: typed, bytes, entry }, half);
}

/** Writes head and body; the ledger is told when they have left whole. Half of it, and the connection breaks. */
export function writeAnswer(world: World, reply: FastifyReply, answer: Written, half = false): void {
  const { status, headers, bytes, entry } = answer;
  if (!reply.sent) reply.hijack();
  const length = bytes && { "Content-Length": String(bytes.length) };
  reply.raw.writeHead(status, { ...length, ...headers, Date: world.clock.headerDate() });
  if (half) {
    const part = bytes?.subarray(0, Math.floor(bytes.length / 2)) ?? "";
    reply.raw.write(part, () => reply.raw.socket?.destroy());
    return;
  }
  reply.raw.once("finish", () => world.ledger.replied(entry, world.clock.now()));
  reply.raw.end(bytes);
}

/** The path of a request as the client wrote it, without the query. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0] ?? request.url;
}
