import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { SHARED } from "../store/store.ts";
import type { Table } from "../store/store.ts";
import type { World } from "../world.ts";

/** A request that a pre-signed URL permits without a token. */
export interface Allowance {
  readonly method: string;
  /** From the root of the server, percent-encoded, such as `/uploads/images/1`. */
  readonly path: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The client must send this content type. Absent: any. */
  readonly contentType?: string;
}

/** A request to a pre-signed URL. */
export interface SignedRequest {
  readonly method: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
}

interface SigningKeyRow {
  readonly id: string;
  readonly secret: string;
}

/** Stored with the rows, so URLs stay valid after a restart. */
const SIGNING_KEYS: Table<SigningKeyRow> = { name: "signing-key", key: (row) => row.id, internal: true };
const KEY = "presigned";

/** Returns a signed URL. Must run in a transaction, because the first call stores the key. */
export function presignedUrl(world: World, allowance: Allowance): string {
  const { method, path, contentType } = allowance;
  const expires = String(Math.ceil(allowance.expiresAt / 1000));
  const signed = contentType === undefined ? "" : "content-type";
  const signature = sign(keyOf(world), [method, path, expires, signed, contentType ?? ""]);
  return `${world.url()}${path}?${new URLSearchParams({ expires, signed, signature }).toString()}`;
}

/** Checks the signature and the expiry of a request. */
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
