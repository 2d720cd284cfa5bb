import type { SimulatedClock } from "./clock.ts";
import { ApiError } from "./errors.ts";

/** Number of requests allowed in a number of seconds. */
export interface Limit {
  readonly bucket: string;
  readonly requests: number;
  readonly seconds: number;
  /** Replaces `requests` for an account with raised limits. */
  readonly raised?: number;
}

interface Window {
  startedAt: number;
  used: number;
}

/** Limit of all requests of a token (not-shown section 1). */
const TOTAL: Limit = { bucket: "all", requests: 1600, seconds: 120 };

/**
 * Counts the requests of a token in windows. A window begins with the first request.
 * Counts are in memory, so a restart resets the counts.
 */
export class RateLimits {
  enabled: boolean;
  /** Multiplies every limit. For example, 0.01 makes a limit easy to reach. */
  scale = 1;
  readonly #clock: SimulatedClock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: SimulatedClock, enabled: boolean) {
    this.#clock = clock;
    this.enabled = enabled;
  }

  /** Counts one request. Returns the rate limit headers. Throws 429 with `Retry-After` at the limit. */
  take(token: string, limit: Limit): Record<string, string> {
    if (!this.enabled) return {};
    this.#count(token, TOTAL);
    return this.#count(token, limit);
  }

  clear(): void {
    this.#windows.clear();
  }

  #count(token: string, limit: Limit): Record<string, string> {
    const now = this.#clock.now();
    const length = limit.seconds * 1000;
    const allowed = Math.max(1, Math.floor(limit.requests * this.scale));
    const key = `${token} ${limit.bucket}`;
    let window = this.#windows.get(key);
    if (!window || now >= window.startedAt + length) window = { startedAt: now, used: 0 };
    this.#windows.set(key, window);
    const endsAt = window.startedAt + length;
    const full = window.used >= allowed;
    if (!full) window.used += 1;
    const headers = {
      "X-RateLimit-Limit": String(allowed),
      "X-RateLimit-Remaining": String(allowed - window.used),
      "X-RateLimit-Reset": String(Math.ceil(endsAt / 1000)),
    };
    if (!full) return headers;
    const wait = Math.max(1, Math.ceil((endsAt - now) / 1000));
    throw new ApiError(429, [{ reason: "Too many requests" }], { ...headers, "Retry-After": String(wait) });
  }
}
