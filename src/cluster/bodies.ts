import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";

/** Bounds the bytes of request bodies that wait in HTTP/2 sessions. */
export interface Bodies {
  /**
   * Resolves when a body may be sent, with a function to call after the request. Throws `KubeError` with status 413 for
   * a body that the API server would reject, and with reason `Timeout` at clock time `end`. In both cases, the body was
   * not sent.
   */
  enter(call: string, bytes: number, end: number): Promise<() => void>;
}

/** The limit of the API server for the body of a write, bytes. */
const mostBytes = 3 * 1024 * 1024;

/**
 * Bytes. Smaller bodies do not wait. A Node session with 10 MB to send resets each stream whose response arrives, with
 * ENHANCE_YOUR_CALM. Bodies of 64 KiB on 100 streams and 3 MiB of large bodies are less than 10 MB.
 */
const largeBytes = 64 * 1024;

interface Waiting {
  bytes: number;
  admit: () => void;
}

/**
 * Creates the bound. Up to 3 MiB of large bodies are in flight. Further large bodies wait in the order of their calls.
 */
export function createBodies(clock: Clock): Bodies {
  const waiting: Waiting[] = [];
  let inFlight = 0;

  function admitNext(): void {
    for (let next = waiting[0]; next !== undefined && inFlight + next.bytes <= mostBytes; next = waiting[0]) {
      waiting.shift();
      inFlight += next.bytes;
      next.admit();
    }
  }

  function leave(bytes: number): void {
    inFlight -= bytes;
    admitNext();
  }

  return {
    async enter(call, bytes, end) {
      if (bytes > mostBytes) throw tooLarge(call, bytes);
      if (bytes <= largeBytes) return () => undefined;
      await new Promise<void>((resolve, reject) => {
        const cancel = clock.schedule(Math.max(0, end - clock.now()), () => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(
            new KubeError(`${call}: not sent in time, because other large requests wait`, {
              reason: "Timeout",
              sent: false,
            }),
          );
          admitNext();
        });
        const one = { bytes, admit: () => (cancel(), resolve()) };
        waiting.push(one);
        admitNext();
      });
      return () => leave(bytes);
    },
  };
}

function tooLarge(call: string, bytes: number): KubeError {
  const amount = (count: number): string => `${count.toLocaleString("en")} bytes`;
  const size = `the request has ${amount(bytes)}, and the API server accepts ${amount(mostBytes)}`;
  return new KubeError(`${call}: ${size}`, { status: 413, reason: "RequestEntityTooLarge", sent: false });
}
