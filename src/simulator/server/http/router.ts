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
import { pathOf, sendAnswer } from "./send-answer.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;

/** Registers every operation under its version segments, and a 405 for the other methods of its path. */
export function registerOperations(app: FastifyInstance, world: World, operations: readonly Operation[]): void {
  const known = new Map<string, Set<string>>();
  for (const operation of operations) {
    for (const url of urlsOf(operation)) {
      known.set(url, (known.get(url) ?? new Set()).add(operation.method));
      app.route({
        method: operation.method,
        url,
        handler: (request, reply) => serve(world, operation, request, reply),
      });
    }
  }
  for (const [url, methods] of known) {
    const others = METHODS.filter((method) => !methods.has(method));
    const headers = { Allow: [...methods].join(", ") };
    app.route({
      method: others,
      url,
      handler: (request, reply) => turnAway(world, request, reply, 405, "Method Not Allowed", headers),
    });
  }
}

/** Answers a request that no operation takes, and records it. */
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

/** Both version segments, or only the beta one; a slug may come as one encoded segment or as two. */
function urlsOf(operation: Operation): string[] {
  const roots = operation.beta ? ["/v4beta"] : ["/v4", "/v4beta"];
  const slugs = Object.entries(operation.params ?? {}).filter(([, kind]) => kind === "slug");
  let paths = [operation.path];
  for (const [name] of slugs)
    paths = paths.flatMap((path) => [path, path.replace(`{${name}}`, `{${name}}/{${name}2}`)]);
  return roots.flatMap((root) => paths.map((path) => root + path.replaceAll(/\{(\w+)\}/g, ":$1")));
}

async function serve(world: World, operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const incoming = incomingOf(request, operation);
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

function incomingOf(request: FastifyRequest, operation: Operation): IncomingRequest {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
    const first = name.endsWith("2") ? name.slice(0, -1) : name;
    params[first] = operation.params?.[first] === "slug" && name !== first ? `${params[first]}/${value}` : value;
  }
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

/** The bytes of a header arrive as Latin-1; clients that escape nothing mean UTF-8. */
function headerText(header: string): string {
  return utf8(Buffer.from(header, "latin1")) ?? header;
}

/** Of a parameter that is given twice, the last counts; there is no query where the URL could not be read. */
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
