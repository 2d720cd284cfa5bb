/** So many requests in a window of so many milliseconds. */
export interface Limit {
  bucket: string;
  requests: number;
  windowMs: number;
}

/** Counts against every request of a token (not-shown, section 1). */
export const totalLimit: Limit = { bucket: "all", requests: 1_600, windowMs: 120_000 };

/**
 * The limit of one operation, as the documents give it (not-shown, section 1); the service's headers correct it later.
 * `paged`: the operation reads a paginated list.
 */
export function limitOf(operation: string, paged: boolean): Limit {
  const bucket = operation;
  if (operation.includes(" /object-storage/")) return { bucket: "object-storage", requests: 750, windowMs: 1_000 };
  if (operation === "POST /compute/instances") return { bucket, requests: 10, windowMs: 30_000 };
  if (operation === "GET /images") return { bucket, requests: 20, windowMs: 60_000 };
  if (/\/stats(\/|$)/.test(operation)) return { bucket: "stats", requests: 100, windowMs: 60_000 };
  return { bucket, requests: paged ? 400 : 800, windowMs: 60_000 };
}
