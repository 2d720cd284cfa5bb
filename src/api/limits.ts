/** So many requests in a window of so many milliseconds. */
export interface Limit {
  bucket: string;
  requests: number;
  windowMs: number;
  /** Several operations count together here, and one of them may have a limit of its own that the answers tell. */
  shared?: true;
}

/** Counts against every request of a token (not-shown, section 1). */
export const totalLimit: Limit = { bucket: "all", requests: 1_600, windowMs: 120_000 };

const creations = new Set(["POST /compute/instances", "POST /compute/instances/*/clone"]);

/**
 * The limit of one operation, as the documents give it (not-shown, sections 1 and 9); the cloud's headers correct it later.
 * `paged`: the operation reads a paginated list.
 */
export function limitOf(operation: string, paged: boolean): Limit {
  const bucket = operation;
  if (operation === "POST /object-storage/buckets") return { bucket, requests: 60, windowMs: 60_000 };
  if (operation.includes(" /object-storage/"))
    return { bucket: "object-storage", requests: 750, windowMs: 1_000, shared: true };
  // To create and to clone counts together; some accounts have 20 (not-shown, section 9).
  if (creations.has(operation)) return { bucket: "POST /compute/instances", requests: 10, windowMs: 30_000 };
  if (operation === "GET /images") return { bucket, requests: 20, windowMs: 60_000 };
  if (/\/stats(\/|$)/.test(operation)) return { bucket: "stats", requests: 100, windowMs: 60_000, shared: true };
  return { bucket, requests: paged ? 400 : 800, windowMs: 60_000 };
}
