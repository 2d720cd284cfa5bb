import pRetry from "p-retry";
import type { Clock } from "../queue/clock.ts";
import { delay } from "./delay.ts";
import { HttpError } from "./errors.ts";
import { TooLarge } from "./http.ts";

export interface RepeatOptions {
  method: string;
  clock: Clock;
  /** Clock time of the last possible repeat. */
  untilMs: () => number;
  signal: AbortSignal;
  /** Random number from 0 to 1, for jitter. */
  random: () => number;
}

/**
 * Runs a call, and repeats the call at most twice, if a repeat is safe and likely to help. Waits a fraction of a
 * second, or the `Retry-After`. Throws the error if the wait is longer than five seconds: the queue handles longer
 * waits.
 */
export function repeating<T>(attempt: () => Promise<T>, options: RepeatOptions): Promise<T> {
  return pRetry(attempt, {
    retries: 2,
    // p-retry would wait by the system clock. p-retry only counts, and `delay` waits.
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

/** Never repeats a POST. Repeats a PUT or DELETE only if the cloud did not apply the call or asks for a repeat. */
function mayRepeat(method: string, error: Error): error is HttpError {
  if (!(error instanceof HttpError)) return false;
  const { status, outcome, retryAfterMs } = error;
  // The next response would also be too large.
  if (error.cause instanceof TooLarge) return false;
  if (method === "GET") return status === undefined || status === 408 || status === 429 || status >= 500;
  if (method === "POST") return false;
  const neverLeft = outcome === "refused" && status === undefined;
  return neverLeft || status === 429 || (status === 503 && retryAfterMs !== undefined);
}
