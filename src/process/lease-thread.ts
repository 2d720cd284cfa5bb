import { Worker } from "node:worker_threads";
import type { Leadership } from "../cluster/types.ts";
import type { Clock } from "../queue/clock.ts";
import type { Log } from "../queue/log.ts";
import { sharedTime } from "./clock.ts";
import { createSharedTimes, forever, never, readTime, writeTime } from "./lease-state.ts";
import type { FromLeaseThread, LeaseThreadData } from "./lease-state.ts";

export interface LeaseThreadOptions extends Pick<LeaseThreadData, "kubeConfig" | "lease"> {
  program: URL;
  /** `systemClock`: both threads must read one clock. */
  clock: Clock;
  log: Log;
  onRequest?: ((report: Extract<FromLeaseThread, { type: "request" }>["report"]) => void) | undefined;
  /** Default 30,000: as long as the kubelet waits for an operator that does not answer its liveness probe. */
  longestHangMs?: number;
}

/** Milliseconds between two signs of life of the operator. */
const beatMs = 2_000;
/** Old space of the thread, MiB. The thread holds one connection and the Kubernetes client. */
const memoryMiB = 64;

/**
 * Renews the Lease in a thread with a separate connection. Work of tenants cannot delay a renewal.
 *
 * The thread runs `createLeadership`, so the guarantees are equal. `deadline` reads memory that both threads share: an
 * operator that continues after a stall reads the current deadline before any message arrives. An operator that hangs
 * for `longestHangMs` loses the Lease. If the thread ends unexpectedly, the operator loses the Lease, too.
 */
export function startLeaseThread(options: LeaseThreadOptions): Leadership {
  const { clock, kubeConfig, lease, program, longestHangMs = 30_000 } = options;
  const shared = createSharedTimes();
  writeTime(shared, "deadline", never);
  writeTime(shared, "recordsUntil", forever);
  const cancelBeat = keepBeating(clock, shared);
  const data: LeaseThreadData = { kubeConfig, lease, shared, longestHangMs };
  const worker = new Worker(program, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: memoryMiB } });
  const heard = listen(worker, options);
  return {
    acquired: heard.acquired.promise,
    asked: heard.asked.promise,
    tookOver: () => heard.tookOver,
    lost: heard.lost.signal,
    deadline: () => (heard.over ? -Infinity : timeIn(shared, "deadline")),
    recordsUntil: () => timeIn(shared, "recordsUntil"),
    epoch: () => heard.epoch,
    async release() {
      if (!heard.over) {
        heard.over = true;
        worker.postMessage("release");
        await heard.ended.promise;
      }
      cancelBeat();
      await worker.terminate();
    },
  };
}

/** Writes a sign of life every two seconds. The returned function ends the signs. */
function keepBeating(clock: Clock, shared: SharedArrayBuffer): () => void {
  let cancel = (): void => undefined;
  const beat = (): void => {
    writeTime(shared, "heartbeat", sharedTime.now());
    cancel = clock.schedule(beatMs, beat);
  };
  beat();
  return () => cancel();
}

/** Milliseconds of the clock of this thread. */
function timeIn(shared: SharedArrayBuffer, name: "deadline" | "recordsUntil"): number {
  const time = readTime(shared, name);
  if (time === never) return -Infinity;
  return time === forever ? Infinity : sharedTime.toClock(time);
}

interface Heard {
  acquired: PromiseWithResolvers<void>;
  asked: PromiseWithResolvers<void>;
  /** Resolves if the thread has released the Lease, or has ended. */
  ended: PromiseWithResolvers<void>;
  lost: AbortController;
  epoch: string;
  tookOver: boolean;
  /** The operator has released or lost the Lease. */
  over: boolean;
}

function listen(worker: Worker, { log, lease, onRequest }: LeaseThreadOptions): Heard {
  const heard: Heard = {
    acquired: Promise.withResolvers(),
    asked: Promise.withResolvers(),
    ended: Promise.withResolvers(),
    lost: new AbortController(),
    epoch: "",
    tookOver: false,
    over: false,
  };
  const lose = (why: string): void => {
    if (heard.over) return;
    heard.over = true;
    heard.lost.abort(new Error(why));
    heard.asked.resolve();
  };
  const end = (what: string): void => {
    heard.ended.resolve();
    lose(`the lease ${lease.name} is lost: the thread that renews it ${what}`);
  };
  worker.on("message", (message: FromLeaseThread) => {
    if (message.type === "log") log[message.level](message.fields, message.message);
    else if (message.type === "request") onRequest?.(message.report);
    else if (message.type === "asked") heard.asked.resolve();
    else if (message.type === "lost") lose(message.why);
    else if (message.type === "released") heard.ended.resolve();
    else {
      heard.epoch = message.epoch;
      heard.tookOver = message.tookOver;
      heard.acquired.resolve();
    }
  });
  worker.on("error", (error: unknown) => {
    log.error({ error, lease: lease.name }, "the thread that renews the lease failed");
    end("failed");
  });
  worker.on("exit", () => end("ended"));
  return heard;
}
