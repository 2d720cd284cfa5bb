import { createHash } from "node:crypto";
import type { Call } from "./define-kind.ts";

/** Tells whether a request is the same again. A digest, since a body may hold secrets. */
export function markOf({ method, path, body }: Pick<Call, "method" | "path" | "body">): string {
  return createHash("sha256")
    .update(JSON.stringify([method, path, body]))
    .digest("base64url")
    .slice(0, 16);
}
