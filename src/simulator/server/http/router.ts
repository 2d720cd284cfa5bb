import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errorBody } from "../errors.ts";
import { breakConnection, carryExchange } from "../faults/fault-player.ts";
import type { Exchange } from "../faults/fault-player.ts";
import { operationName } from "../operation-names.ts";
import type { Operation } from "../operation.ts";
import type { World } from "../world.ts";
import { utf8 } from "./broken-requests.ts";
import { dispatch } from "./dispatch.ts";
import type { IncomingRequest } from "./dispatch.ts";
import { findRoute } from "./routes.ts";
import { pathOf, sendAnswer } from "./send-answer.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;

/** Registers all operations under the version segments. Other methods of a known path get a 405. */
export function registerOperations(app: FastifyInstance, world: World, operations: readonly Operation[]): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<void> | void => {
    const found = findRoute(operations, request.method, pathOf(request));
    if (!found) return turnAway(world, request, reply, 404, "Not found");
    const { operation, methods, params } = found;
    if (operation) return serve(world, operation, incomingOf(request, params), request, reply);
    turnAway(world, request, reply, 405, "Method Not Allowed", { Allow: methods.join(", ") });
  };
  for (const url of ["/v4/*", "/v4beta/*"]) app.route({ method: [...METHODS], url, handler });
}

/** Responds to a request without an operation, and records the request. */
export function turnAway(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  reason: string,
  headers: Record<string, string> = {},
): void {
  const entry = recordDropped(world, request, undefined, status, null);
  sendAnswer(world, reply, { status, headers, body: errorBody([{ reason }]), entry });
}

async function serve(
  world: World,
  operation: Operation,
  incoming: IncomingRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.hijack();
  const exchange: Exchange = {
    run: (played) => dispatch(world, operation, incoming, played),
    drop: (status, played) => recordDropped(world, request, operation, status, played.kind),
    send: (answer, options) => sendAnswer(world, reply, answer, options),
    reset: () => breakConnection(request.raw.socket),
  };
  const { method } = incoming;
  const path = incoming.path.replace(/^\/[^/]+/, "");
  await carryExchange(world, { method, path, operation: operationName(operation.method, operation.path) }, exchange);
}

function incomingOf(request: FastifyRequest, params: Readonly<Record<string, string>>): IncomingRequest {
  const filter = request.headers["x-filter"];
  return {
    method: request.method,
    path: pathOf(request),
    query: singleValues(request.query),
    params,
    authorization: request.headers.authorization,
    filter: typeof filter === "string" ? headerText(filter) : undefined,
    rawBody: typeof request.body === "string" ? request.body : "",
    remoteAddress: request.ip,
  };
}

/** Decodes a header. Node reads headers as Latin-1, but some clients send UTF-8. */
function headerText(header: string): string {
  return utf8(Buffer.from(header, "latin1")) ?? header;
}

/** Returns the query as single values. The last of several values counts. The query is undefined if the URL is invalid. */
function singleValues(query: unknown): Record<string, string> {
  const pairs = Object.entries((query ?? {}) as Record<string, string | string[]>);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Array.isArray(value) ? (value.at(-1) ?? "") : value]));
}

function recordDropped(
  world: World,
  request: FastifyRequest,
  operation: Operation | undefined,
  status: number | null,
  fault: string | null,
): number {
  return world.ledger.append({
    receivedAt: world.clock.now(),
    account: null,
    token: null,
    method: request.method,
    path: pathOf(request),
    query: new URLSearchParams(singleValues(request.query)).toString(),
    operation: operation?.path ?? null,
    body: typeof request.body === "string" ? request.body : "",
    status,
    appliedAt: null,
    changes: [],
    fault,
  });
}
