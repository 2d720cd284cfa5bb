import type { Clock } from "../queue/clock.ts";
import { delay, reasonOf } from "./delay.ts";
import { KubeError } from "./errors.ts";

const firstWaitMs = 100;
const longestWaitMs = 250;
const patienceMs = 30_000;

/**
 * Creates a probe that waits until the API server is back, shared by every caller without a connection.
 *
 * At most one probe is in flight, with at most about four probes a second: an outage costs little, and callers resume
 * quickly. A response below 500 counts as ready. After 30 s of other responses the server counts as ready, too, because
 * `/readyz` may fail for a component that the operator does not need.
 */
export function createProbe(clock: Clock, ask: () => Promise<unknown>): (signal: AbortSignal) => Promise<void> {
  const waiting = new Set<() => void>();
  let probing = false;

  async function probe(): Promise<void> {
    let answeringSince: number | undefined;
    for (let wait = firstWaitMs; waiting.size > 0; wait = Math.min(wait * 2, longestWaitMs)) {
      const status = await ask().then(() => 200, statusOf);
      if (status === undefined) answeringSince = undefined;
      else answeringSince ??= clock.now();
      const patient = answeringSince === undefined || clock.now() - answeringSince < patienceMs;
      if (status === undefined || (status >= 500 && patient)) await delay(clock, wait);
      else for (const done of waiting) done();
    }
    probing = false;
  }

  return (signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        waiting.delete(done);
        signal.removeEventListener("abort", stop);
      };
      const done = () => {
        leave();
        resolve();
      };
      const stop = () => {
        leave();
        reject(reasonOf(signal));
      };
      waiting.add(done);
      signal.addEventListener("abort", stop);
      if (probing) return;
      probing = true;
      void probe();
    });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof KubeError ? error.status : undefined;
}
