import pRetry from "p-retry";
import type { Clock } from "../queue/clock.ts";
import { delay } from "./delay.ts";
import { HttpError } from "./errors.ts";
import { TooLarge } from "./http.ts";

export interface RepeatOptions {
  method: string;
  clock: Clock;
  /** Clock time after which nothing is repeated. */
  untilMs: () => number;
  signal: AbortSignal;
  /** 0 to 1; for jitter. */
  random: () => number;
}

/**
 * Runs one call, and again if repeating is safe and likely to help: two times at most, after a fraction of a second or
 * the `Retry-After`. A wait of more than five seconds is the queue's, so the error is thrown.
 */
export function repeating<T>(attempt: () => Promise<T>, options: RepeatOptions): Promise<T> {
  return pRetry(attempt, {
    retries: 2,
    // p-retry would wait by the system's clock: it counts, we wait.
    minTimeout: 0,
    shouldRetry: async ({ error, retriesConsumed }) => {
      if (!mayRepeat(options.method, error)) return false;
      const wait = error.retryAfterMs ?? FIRST_WAIT_MS * 3 ** retriesConsumed * (1 + options.random());
      if (wait > LONGEST_WAIT_MS || options.clock.now() + wait >= options.untilMs()) return false;
      return delay(options.clock, wait, options.signal).then(
        () => true,
        () => false,
      );
    },
  });
}

const FIRST_WAIT_MS = 150;
const LONGEST_WAIT_MS = 5_000;

/** A POST never; a PUT or DELETE only where it was certainly not applied, or the cloud asks for it. */
function mayRepeat(method: string, error: Error): error is HttpError {
  if (!(error instanceof HttpError)) return false;
  const { status, outcome, retryAfterMs } = error;
  // It would be as large again.
  if (error.cause instanceof TooLarge) return false;
  if (method === "GET") return status === undefined || status === 408 || status === 429 || status >= 500;
  if (method === "POST") return false;
  const neverLeft = outcome === "refused" && status === undefined;
  return neverLeft || status === 429 || (status === 503 && retryAfterMs !== undefined);
}
