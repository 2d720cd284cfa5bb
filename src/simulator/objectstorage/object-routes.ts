import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { breakConnection, carryExchange } from "../server/faults/fault-player.ts";
import type { Exchange } from "../server/faults/fault-player.ts";
import type { OutgoingAnswer } from "../server/http/dispatch.ts";
import type { Mount } from "../server/http/mount.ts";
import { pathOf, writeAnswer } from "../server/http/send-answer.ts";
import { operationName } from "../server/operation-names.ts";
import type { World } from "../server/world.ts";
import { OBJECTS_ROOT } from "./object-url.ts";
import { places } from "./places.ts";
import { serveObject } from "./serve-object.ts";
import type { ObjectAnswer, ObjectRequest } from "./serve-object.ts";

/** Limit of an object, in bytes. */
const OBJECT_LIMIT = 256 * 1024 * 1024;

/** Path of objects in the ledger and in faults. */
const PATH = `${OBJECTS_ROOT}/{cluster}/{bucket}/{name}`;

/** Serves objects at `/objects/{cluster}/{bucket}/{name}` with faults and ledger. The ledger does not store contents. */
export const objectRoutes: Mount = {
  operations: ["GET", "HEAD", "PUT", "DELETE"].map((method) => operationName(method, PATH)),
  mount: registerObjects,
  pathOfHost: pathOfBucketHost,
};

function registerObjects(app: FastifyInstance, world: World): void {
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

/** Returns the path of a request to a bucket's host name (`{bucket}.{domain of the cluster}`). Other URLs stay unchanged. */
function pathOfBucketHost(world: World, host: string | undefined, url: string): string {
  const name = host?.replace(/:\d+$/, "") ?? "";
  const place = name.includes(".objects.")
    ? places(world).find(({ domain }) => name.endsWith(`.${domain}`))
    : undefined;
  if (!place) return url;
  return `${OBJECTS_ROOT}/${place.id}/${name.slice(0, -place.domain.length - 1)}${url}`;
}

async function serve(world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const path = pathOf(request);
  const exchange: Exchange = {
    run: (fault) => carryOut(world, request, path, fault?.kind ?? null),
    drop: (status, fault) => record(world, request, path, { status, account: null, fault: fault.kind }),
    send: ({ body, ...answer }, { half } = {}) => writeAnswer(world, reply, { ...answer, bytes: bytesOf(body) }, half),
    reset: () => breakConnection(request.raw.socket),
  };
  const { method } = request;
  await carryExchange(world, { method, path, operation: operationName(method, PATH) }, exchange);
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
    range: request.headers.range,
    ifRange: String(request.headers["if-range"] ?? "") || undefined,
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
    operation: PATH,
    body: "",
    status,
    appliedAt: account !== null && (status ?? 500) < 300 && request.method !== "GET" ? now : null,
    changes,
    fault,
  });
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

/** Returns the decoded text. Invalid text becomes empty, so it matches no object. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
