import type { SimulatedClock } from "./clock.ts";
import { ApiError } from "./errors.ts";

/** So many requests in so many seconds. */
export interface Limit {
  readonly bucket: string;
  readonly requests: number;
  readonly seconds: number;
  /** In place of `requests` for an account whose limits were raised. */
  readonly raised?: number;
}

interface Window {
  startedAt: number;
  used: number;
}

/** In all, per token (not-shown section 1). */
const TOTAL: Limit = { bucket: "all", requests: 1600, seconds: 120 };

/**
 * Counts requests of a token in windows that begin with their first request.
 * Kept in memory only: a restarted gateway starts to count anew.
 */
export class RateLimits {
  enabled: boolean;
  /** Multiplies every limit: 0.01 makes them easy to hit. */
  scale = 1;
  readonly #clock: SimulatedClock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: SimulatedClock, enabled: boolean) {
    this.#clock = clock;
    this.enabled = enabled;
  }

  /** Counts one request and answers its headers. Throws 429 with `Retry-After` when a bucket is empty. */
  take(token: string, limit: Limit): Record<string, string> {
    if (!this.enabled) return {};
    this.#count(token, TOTAL);
    return this.#count(token, limit);
  }

  /** Forgets every count. */
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
