import type { FastifyReply, FastifyRequest } from "fastify";
import type { World } from "../world.ts";
import type { OutgoingAnswer } from "./dispatch.ts";

/** A response as headers and bytes. Undefined bytes mean no body. */
interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer | undefined;
  /** ID of the request in the ledger. */
  readonly entry: number;
}

/** Sends a response as `application/json` (not-shown section 8), because Fastify would add a charset. */
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

/** Writes head and body, and records a complete response in the ledger. `half` breaks the connection after half of the body. */
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

/** Returns the path of a request as sent, without the query. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0] ?? request.url;
}
