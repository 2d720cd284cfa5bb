/** `requests` in a window of `windowMs` milliseconds. */
export interface Limit {
  bucket: string;
  requests: number;
  windowMs: number;
  /** Several operations share this limit. A response may show that an operation has a separate limit. */
  shared?: true;
}

/** Counts every request of a token (not-shown, section 1). */
export const totalLimit: Limit = { bucket: "all", requests: 1_600, windowMs: 120_000 };

const creations = new Set(["POST /compute/instances", "POST /compute/instances/*/clone"]);

/**
 * Returns the documented limit of an operation (not-shown, sections 1 and 9). The headers of the cloud correct the
 * limit later.
 * `paged`: the operation reads a paginated list.
 */
export function limitOf(operation: string, paged: boolean): Limit {
  const bucket = operation;
  if (operation === "POST /object-storage/buckets") return { bucket, requests: 60, windowMs: 60_000 };
  if (operation.includes(" /object-storage/"))
    return { bucket: "object-storage", requests: 750, windowMs: 1_000, shared: true };
  // Create and clone share a limit. Some accounts have 20 (not-shown, section 9).
  if (creations.has(operation)) return { bucket: "POST /compute/instances", requests: 10, windowMs: 30_000 };
  if (operation === "GET /images") return { bucket, requests: 20, windowMs: 60_000 };
  if (/\/stats(\/|$)/.test(operation)) return { bucket: "stats", requests: 100, windowMs: 60_000, shared: true };
  return { bucket, requests: paged ? 400 : 800, windowMs: 60_000 };
}
