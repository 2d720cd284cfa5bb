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

/** The largest compressed image, bytes (part 2 section 8: 5 GB). */
const LIMIT = 5 * 1024 ** 3;
const MEGABYTE = 1024 ** 2;

const PATH = "/uploads/images/{number}";
const OPERATION = operationName("PUT", PATH);

/** Takes image data by PUT at the pre-signed URL of `POST /images/upload`; an encapsulated part of the server, which reads bodies as they flow. */
export const imageUploads: Mount = { operations: [OPERATION], mount: registerUploads };

function registerUploads(app: FastifyInstance, world: World): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, parsed) => parsed(null, body));
    scope.put("/uploads/images/:number", (request, reply) => serve(world, request, reply));
    done();
  });
}

/** The data is received first, whatever fault is played on it, because a fault plays with what is whole. */
async function serve(world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const receivedAt = world.clock.now();
  const received = await receive(world, request);
  const exchange: Exchange = {
    run: (fault) => carryOut(world, request, received, { receivedAt, fault: fault?.kind ?? null }),
    drop: (status, fault) => record(world, request, { receivedAt, status, account: null, fault: fault.kind }),
    // What was refused may not have been read to its end.
    send: (answer, options) =>
      sendAnswer(world, reply, typeof received === "number" ? answer : closing(answer), options),
    reset: () => breakConnection(request.raw.socket),
  };
  await carryExchange(world, { method: request.method, path: pathOf(request), operation: OPERATION }, exchange);
}

function closing(answer: OutgoingAnswer): OutgoingAnswer {
  return { ...answer, headers: { ...answer.headers, Connection: "close" } };
}

/** Bytes of the raw disk, or why it is refused. */
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

/** Stores the effect together with its entry in the ledger, or the refusal's entry alone. */
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

/** The image that still waits for its data, or 404. */
function pendingImage(world: World, request: FastifyRequest): { account: string; image: Readonly<ImageRow> } {
  const id = `private/${(request.params as Record<string, string>)["number"]}`;
  for (const account of world.store.accounts(IMAGES)) {
    const image = world.store.get(IMAGES, account, id);
    if (image?.status === "pending_upload") return { account, image };
  }
  throw notFound();
}

/** Bytes of the raw disk; 400 for what is not gzip-compressed, or too large. Keeps nothing of the data. */
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
