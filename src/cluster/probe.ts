import type { Clock } from "../queue/clock.ts";
import { delay } from "./delay.ts";
import { KubeError } from "./errors.ts";

const firstWaitMs = 100;
const longestWaitMs = 1_000;
const patienceMs = 30_000;

/**
 * One shared question "is the API server back?", for all who lost it.
 *
 * However many wait, one probe is under way at a time and at most about one a second is sent, so that an outage costs
 * little and its end is seen within a second. An answer below 500 counts as ready; after 30 s of other answers the
 * server is taken as it is, since `/readyz` may fail for a part that we don't need.
 */
export function createProbe(clock: Clock, ask: () => Promise<unknown>): (signal: AbortSignal) => Promise<void> {
  let running: Promise<void> | undefined;
  let waiting = 0;

  async function probe(): Promise<void> {
    let answeringSince: number | undefined;
    for (let wait = firstWaitMs; waiting > 0; wait = Math.min(wait * 2, longestWaitMs)) {
      const status = await ask().then(() => 200, statusOf);
      if (status !== undefined && status < 500) return;
      if (status === undefined) answeringSince = undefined;
      else answeringSince ??= clock.now();
      if (answeringSince !== undefined && clock.now() - answeringSince >= patienceMs) return;
      await delay(clock, wait);
    }
  }

  return async (signal) => {
    signal.throwIfAborted();
    waiting++;
    running ??= probe().finally(() => {
      running = undefined;
    });
    try {
      await Promise.race([running, aborted(signal)]);
    } finally {
      waiting--;
    }
  };
}

function statusOf(error: unknown): number | undefined {
  return error instanceof KubeError ? error.status : undefined;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
