import { presignedUrl } from "../server/http/presigned.ts";
import type { World } from "../server/world.ts";
import type { BucketRow } from "./tables.ts";

/** Where objects are served on the simulator itself, below its base URL. */
export const OBJECTS_ROOT = "/objects";

/** The methods that a URL can be signed for. */
export const SIGNED_METHODS = ["GET", "PUT", "DELETE", "HEAD"] as const;

/** True for the methods whose content type must be told when signing, and then be sent (part 3 section 4.1). */
export function needsContentType(method: string): boolean {
  return method !== "GET" && method !== "DELETE";
}

/** A pre-signed URL of an object. The name is one segment of the path, so that no client rewrites it. */
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
