import { createHash } from "node:crypto";
import type { Request } from "../kind/call.ts";

/** Tells whether a request is the same again. A digest, since a body may hold secrets. */
export function markOf({ method, path, body }: Request): string {
  return createHash("sha256")
    .update(JSON.stringify([method, path, body]))
    .digest("base64url")
    .slice(0, 16);
}
