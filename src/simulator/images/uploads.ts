import { Writable } from "node:stream";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, errorBody, forbidden, notFound, refused } from "../server/errors.ts";
import { breakConnection, carryExchange } from "../server/faults/fault-player.ts";
import type { Exchange } from "../server/faults/fault-player.ts";
import type { OutgoingAnswer } from "../server/http/dispatch.ts";
import type { Mount } from "../server/http/mount.ts";
import { verifyPresigned } from "../server/http/presigned.ts";
import { pathOf, sendAnswer } from "../server/http/send-answer.ts";
import { operationName } from "../server/operation-names.ts";
import type { World } from "../server/world.ts";
import { receiveUpload } from "./lifecycle.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

/** Limit of a compressed image in bytes, 5 GB (part 2 section 8). */
const LIMIT = 5 * 1024 ** 3;
const MEGABYTE = 1024 ** 2;

const PATH = "/uploads/images/{number}";
const OPERATION = operationName("PUT", PATH);

/** Serves the pre-signed URLs of `POST /images/upload`. A separate Fastify scope reads the body as a stream. */
export const imageUploads: Mount = { operations: [OPERATION], mount: registerUploads };

function registerUploads(app: FastifyInstance, world: World): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, parsed) => parsed(null, body));
    scope.put("/uploads/images/:number", (request, reply) => serve(world, request, reply));
    done();
  });
}

/** Receives all data first, because a fault applies to a complete request. */
async function serve(world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const receivedAt = world.clock.now();
  const received = await receive(world, request);
  const exchange: Exchange = {
    run: (fault) => carryOut(world, request, received, { receivedAt, fault: fault?.kind ?? null }),
    drop: (status, fault) => record(world, request, { receivedAt, status, account: null, fault: fault.kind }),
    // The rest of a refused upload may be unread, so the connection must close.
    send: (answer, options) =>
      sendAnswer(world, reply, typeof received === "number" ? answer : closing(answer), options),
    reset: () => breakConnection(request.raw.socket),
  };
  await carryExchange(world, { method: request.method, path: pathOf(request), operation: OPERATION }, exchange);
}

function closing(answer: OutgoingAnswer): OutgoingAnswer {
  return { ...answer, headers: { ...answer.headers, Connection: "close" } };
}

/** Returns the bytes of the raw disk, or the error of a refusal. */
async function receive(world: World, request: FastifyRequest): Promise<number | ApiError> {
  try {
    world.jobs.runDue();
    checkUrl(world, request);
    if (Number(request.headers["content-length"] ?? 0) > LIMIT) throw refused("The image is larger than 5 GB");
    pendingImage(world, request);
    return await rawSize(request.body as Readable | undefined);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Stores the effect and the ledger entry in one transaction. For a refused upload, the function stores only the ledger entry. */
function carryOut(
  world: World,
  request: FastifyRequest,
  received: number | ApiError,
  { receivedAt, fault }: { receivedAt: number; fault: string | null },
): OutgoingAnswer {
  try {
    if (received instanceof ApiError) throw received;
    const entry = world.store.transaction(() => {
      const { account, image } = pendingImage(world, request);
      receiveUpload(world, account, image, Math.max(1, Math.ceil(received / MEGABYTE)));
      return record(world, request, { receivedAt, status: 200, account, fault });
    });
    return { status: 200, headers: {}, body: {}, entry };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status } = error;
    const entry = record(world, request, { receivedAt, status, account: null, fault });
    return { status, headers: {}, body: errorBody(error.errors), entry };
  }
}

function checkUrl(world: World, request: FastifyRequest): void {
  const query = request.query as Record<string, string>;
  const contentType = request.headers["content-type"];
  const verdict = verifyPresigned(world, { method: request.method, path: pathOf(request), query, contentType });
  if (verdict !== "valid")
    throw forbidden(verdict === "expired" ? "The URL has expired" : "The signature is not valid");
}

/** Returns the image that waits for data. Otherwise throws 404. */
function pendingImage(world: World, request: FastifyRequest): { account: string; image: Readonly<ImageRow> } {
  const id = `private/${(request.params as Record<string, string>)["number"]}`;
  for (const account of world.store.accounts(IMAGES)) {
    const image = world.store.get(IMAGES, account, id);
    if (image?.status === "pending_upload") return { account, image };
  }
  throw notFound();
}

/** Returns the bytes of the raw disk, and discards the data. Throws 400 for data that is too large or not gzip-compressed. */
async function rawSize(body: Readable | undefined): Promise<number> {
  if (!body) throw refused("There is no image data");
  let compressed = 0;
  let size = 0;
  const counting = new Writable({
    write(chunk: Buffer, _encoding, next) {
      size += chunk.length;
      next();
    },
  });
  body.on("data", (chunk: Buffer) => {
    compressed += chunk.length;
    if (compressed > LIMIT) body.destroy(refused("The image is larger than 5 GB"));
  });
  try {
    await pipeline(body, createGunzip(), counting);
  } catch (error) {
    throw error instanceof ApiError ? error : refused("The data is not gzip-compressed");
  }
  return size;
}

function record(
  world: World,
  request: FastifyRequest,
  outcome: { receivedAt: number; status: number | null; account: string | null; fault: string | null },
): number {
  const { receivedAt, status, account, fault } = outcome;
  const applied = account !== null;
  return world.ledger.append({
    receivedAt,
    account,
    token: null,
    method: request.method,
    path: pathOf(request),
    query: "",
    operation: PATH,
    body: "",
    status,
    appliedAt: applied ? world.clock.now() : null,
    changes: applied ? world.store.changes() : [],
    fault,
  });
}
