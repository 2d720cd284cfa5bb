import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { SHARED } from "../store/store.ts";
import type { Table } from "../store/store.ts";
import type { World } from "../world.ts";

/** What the holder of a pre-signed URL may do, without any token. */
export interface Allowance {
  readonly method: string;
  /** From the root of the server, percent-encoded as in the URL: `/uploads/images/1`. */
  readonly path: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Must be sent identically; absent: any will do. */
  readonly contentType?: string;
}

/** A request to a pre-signed URL. */
export interface SignedRequest {
  readonly method: string;
  /** As the client wrote it, percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
}

interface SigningKeyRow {
  readonly id: string;
  readonly secret: string;
}

/** Kept with the rows, so that a URL outlives a restart. */
const SIGNING_KEYS: Table<SigningKeyRow> = { name: "signing-key", key: (row) => row.id, internal: true };
const KEY = "presigned";

/** Signs a URL; must be called inside a transaction, because the first one makes the key. */
export function presignedUrl(world: World, allowance: Allowance): string {
  const { method, path, contentType } = allowance;
  const expires = String(Math.ceil(allowance.expiresAt / 1000));
  const signed = contentType === undefined ? "" : "content-type";
  const signature = sign(keyOf(world), [method, path, expires, signed, contentType ?? ""]);
  return `${world.url()}${path}?${new URLSearchParams({ expires, signed, signature }).toString()}`;
}

/** Tells whether the request is what its URL was signed for, and in time. */
export function verifyPresigned(world: World, request: SignedRequest): "valid" | "expired" | "forged" {
  const { expires = "", signed = "", signature = "" } = request.query;
  const contentType = signed === "content-type" ? (request.contentType ?? "") : "";
  const key = world.store.get(SIGNING_KEYS, SHARED, KEY)?.secret;
  const expected = key && Buffer.from(sign(key, [request.method, request.path, expires, signed, contentType]));
  const given = Buffer.from(signature);
  if (!expected || expected.length !== given.length || !timingSafeEqual(expected, given)) return "forged";
  return world.clock.now() > Number(expires) * 1000 ? "expired" : "valid";
}

function sign(key: string, parts: readonly string[]): string {
  return createHmac("sha256", key).update(parts.join("\n")).digest("hex");
}

function keyOf({ store }: World): string {
  const known = store.get(SIGNING_KEYS, SHARED, KEY);
  return (known ?? store.put(SIGNING_KEYS, SHARED, { id: KEY, secret: randomBytes(32).toString("hex") })).secret;
}
