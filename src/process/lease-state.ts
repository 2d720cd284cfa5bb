/** Messages and memory that the main thread shares with the thread that renews the Lease. */

/** Start data of the second thread. */
export interface LeaseThreadData {
  kubeConfig: { file: string } | { text: string } | "in-cluster" | "default";
  lease: {
    namespace: string;
    name: string;
    identity: string;
    namespaces?: string[] | undefined;
    leaseSeconds?: number;
    longestCallMs?: number;
  };
  shared: SharedArrayBuffer;
  /** Milliseconds without a timer of the main thread, after which the operator loses the Lease. */
  longestHangMs: number;
}

export type FromLeaseThread =
  | { type: "asked" }
  | { type: "acquired"; epoch: string; tookOver: boolean }
  | { type: "lost"; why: string }
  | { type: "released" }
  | { type: "request"; report: { verb: string; resource: string; status: number | undefined; durationMs: number } }
  | { type: "log"; level: "debug" | "info" | "warn" | "error"; fields: Record<string, unknown>; message: string };

/** Times in nanoseconds of `sharedTime`. Both threads read the current times at any moment, also after a stall. */
export interface LeaseTimes {
  /** End of the time in which mutating requests may run. */
  deadline: bigint;
  /** End of the time in which the operator may record results. */
  recordsUntil: bigint;
  /** When the operator last ran a timer. */
  heartbeat: bigint;
}

const places = { deadline: 0, recordsUntil: 1, heartbeat: 2 } as const;

/** The values for `-Infinity` and `Infinity`. */
export const never = -1n;
export const forever = 2n ** 62n;

export function createSharedTimes(): SharedArrayBuffer {
  return new SharedArrayBuffer(8 * Object.keys(places).length);
}

export function readTime(shared: SharedArrayBuffer, name: keyof LeaseTimes): bigint {
  return Atomics.load(new BigInt64Array(shared), places[name]);
}

export function writeTime(shared: SharedArrayBuffer, name: keyof LeaseTimes, time: bigint): void {
  Atomics.store(new BigInt64Array(shared), places[name], time);
}
