import { presignedUrl } from "../server/http/presigned.ts";
import type { World } from "../server/world.ts";
import type { BucketRow } from "./tables.ts";

/** Path of objects on the simulator, relative to the base URL. */
export const OBJECTS_ROOT = "/objects";

/** Methods that a signed URL can permit. */
export const SIGNED_METHODS = ["GET", "PUT", "DELETE", "HEAD"] as const;

/** Returns true if the content type is part of the signature (part 3 section 4.1). */
export function needsContentType(method: string): boolean {
  return method !== "GET" && method !== "DELETE";
}

/**
 * Returns a pre-signed URL of an object. The name is one segment of the path, because clients can rewrite a path of
 * several segments.
 */
export function objectUrl(
  world: World,
  bucket: Readonly<BucketRow>,
  permit: { method: string; name: string; contentType: string | undefined; expiresAt: number },
): string {
  const { method, name, contentType, expiresAt } = permit;
  const path = `${OBJECTS_ROOT}/${bucket.id}/${encodeURIComponent(name)}`;
  const bound = needsContentType(method) && contentType !== undefined;
  return presignedUrl(world, { method, path, expiresAt, ...(bound && { contentType }) });
}
