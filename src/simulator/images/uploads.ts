import { Writable } from "node:stream";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, errorBody, forbidden, notFound, refused } from "../errors.ts";
import { verifyPresigned } from "../presigned.ts";
import { IMAGES } from "../tables/compute.ts";
import type { ImageRow } from "../tables/compute.ts";
import type { World } from "../world.ts";
import { receiveUpload } from "./lifecycle.ts";

/** The largest compressed image, bytes (part 2 section 8: 5 GB). */
const LIMIT = 5 * 1024 ** 3;
const MEGABYTE = 1024 ** 2;

/** Takes image data by PUT at the pre-signed URL of `POST /images/upload`; an encapsulated part of the server, which reads bodies as they flow. */
export function registerUploads(app: FastifyInstance, world: World): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, parsed) => parsed(null, body));
    scope.put("/uploads/images/:number", async (request, reply) => {
      const { status, body, entry } = await outcome(world, request);
      reply.raw.once("finish", () => world.ledger.replied(entry, world.clock.now()));
      // What was refused may not have been read to its end.
      if (status !== 200) reply.header("Connection", "close");
      return reply
        .code(status)
        .header("Content-Type", "application/json")
        .send(Buffer.from(JSON.stringify(body)));
    });
    done();
  });
}

/** Receives the data, or refuses; both are in the ledger, and an effect is stored together with its entry. */
async function outcome(
  world: World,
  request: FastifyRequest,
): Promise<{ status: number; body: unknown; entry: number }> {
  const receivedAt = world.clock.now();
  try {
    const size = await acceptedSize(world, request);
    const entry = world.store.transaction(() => {
      const { account, image } = pendingImage(world, request);
      receiveUpload(world, account, image, Math.max(1, Math.ceil(size / MEGABYTE)));
      return record(world, request, { receivedAt, status: 200, account });
    });
    return { status: 200, body: {}, entry };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const entry = record(world, request, { receivedAt, status: error.status, account: null });
    return { status: error.status, body: errorBody(error.errors), entry };
  }
}

async function acceptedSize(world: World, request: FastifyRequest): Promise<number> {
  world.jobs.runDue();
  checkUrl(world, request);
  if (Number(request.headers["content-length"] ?? 0) > LIMIT) throw refused("The image is larger than 5 GB");
  pendingImage(world, request);
  return rawSize(request.body as Readable | undefined);
}

function checkUrl(world: World, request: FastifyRequest): void {
  const [path = ""] = request.url.split("?");
  const query = request.query as Record<string, string>;
  const contentType = request.headers["content-type"];
  const verdict = verifyPresigned(world, { method: request.method, path, query, contentType });
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
  { receivedAt, status, account }: { receivedAt: number; status: number; account: string | null },
): number {
  const applied = status === 200;
  return world.ledger.append({
    receivedAt,
    account,
    token: null,
    method: request.method,
    path: request.url.split("?")[0] ?? "",
    query: "",
    operation: null,
    body: "",
    status,
    appliedAt: applied ? world.clock.now() : null,
    changes: applied ? world.store.changes() : [],
    fault: null,
  });
}
