import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { OutgoingAnswer } from "../dispatch.ts";
import { breakConnection, playFault } from "../fault-player.ts";
import type { Exchange } from "../fault-player.ts";
import { OBJECT, operationName } from "../operation-names.ts";
import { SHARED } from "../store.ts";
import { OBJECT_STORAGE_CLUSTERS } from "../tables/catalog.ts";
import type { World } from "../world.ts";
import { serveObject } from "./serve-object.ts";
import type { ObjectAnswer, ObjectRequest } from "./serve-object.ts";
import { OBJECTS_ROOT } from "./object-url.ts";

/** The largest object, bytes. */
const OBJECT_LIMIT = 256 * 1024 * 1024;

/** Serves objects at `/objects/{cluster}/{bucket}/{name}`, with faults and ledger like the API; contents stay out of the ledger. */
export function registerObjects(app: FastifyInstance, world: World): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, parsed) => parsed(null, body));
    scope.route({
      method: ["GET", "HEAD", "PUT", "DELETE", "POST"],
      url: `${OBJECTS_ROOT}/*`,
      bodyLimit: OBJECT_LIMIT,
      handler: (request, reply) => serve(world, request, reply),
    });
    done();
  });
}

/** The path of a request that came by a bucket's host name (`{bucket}.{domain of the cluster}`); others as they are. */
export function pathOfBucketHost(world: World, host: string | undefined, url: string): string {
  const name = host?.replace(/:\d+$/, "") ?? "";
  const cluster = world.store.all(OBJECT_STORAGE_CLUSTERS, SHARED).find(({ domain }) => name.endsWith(`.${domain}`));
  if (!cluster) return url;
  return `${OBJECTS_ROOT}/${cluster.id}/${name.slice(0, -cluster.domain.length - 1)}${url}`;
}

async function serve(world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const path = request.url.split("?")[0] ?? "";
  const exchange: Exchange = {
    run: (fault) => carryOut(world, request, path, fault?.kind ?? null),
    drop: (status, fault) => record(world, request, path, { status, account: null, fault: fault.kind }),
    send: (answer, options) => send(world, reply, answer, options),
    reset: () => breakConnection(request.raw.socket),
  };
  const fault = world.faults.match(request.method, path, operationName(request.method, OBJECT));
  if (fault) await playFault(world, fault, exchange);
  else exchange.send(exchange.run());
}

function carryOut(world: World, request: FastifyRequest, path: string, fault: string | null): OutgoingAnswer {
  world.jobs.runDue();
  return world.store.transaction(() => {
    const { status, headers, body, account } = serveObject(world, objectRequest(request, path));
    return { status, headers, body, entry: record(world, request, path, { status, account, fault }) };
  });
}

function objectRequest(request: FastifyRequest, path: string): ObjectRequest {
  const [cluster = "", label = "", ...name] = path.slice(OBJECTS_ROOT.length + 1).split("/");
  return {
    method: request.method,
    bucket: `${decoded(cluster)}/${decoded(label)}`,
    name: decoded(name.join("/")),
    path,
    query: Object.fromEntries(new URLSearchParams(request.url.split("?")[1])),
    contentType: request.headers["content-type"],
    bytes: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
}

function record(
  world: World,
  request: FastifyRequest,
  path: string,
  outcome: { status: number | null; account: ObjectAnswer["account"]; fault: string | null },
): number {
  const { status, account, fault } = outcome;
  const now = world.clock.now();
  const changes = world.store.changes();
  return world.ledger.append({
    receivedAt: now,
    account,
    token: null,
    method: request.method,
    path,
    query: request.url.split("?")[1] ?? "",
    operation: OBJECT,
    body: "",
    status,
    appliedAt: account !== null && (status ?? 500) < 300 && request.method !== "GET" ? now : null,
    changes,
    fault,
  });
}

function send(world: World, reply: FastifyReply, answer: OutgoingAnswer, options: { half?: boolean } = {}): void {
  const { status, headers, body, entry } = answer;
  const bytes = bytesOf(body);
  reply.raw.writeHead(status, {
    ...(bytes && { "Content-Length": bytes.length }),
    ...headers,
    Date: world.clock.headerDate(),
  });
  if (options.half) {
    reply.raw.write(bytes?.subarray(0, Math.floor(bytes.length / 2)) ?? "", () => reply.raw.socket?.destroy());
    return;
  }
  reply.raw.once("finish", () => world.ledger.replied(entry, world.clock.now()));
  reply.raw.end(bytes);
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

/** What cannot be decoded names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
