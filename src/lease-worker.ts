/** Runs the thread that renews the Lease: see process/lease-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { createKubeClient } from "./cluster/client.ts";
import { loadKubeConfig } from "./cluster/credentials.ts";
import { createLeadership, leaseCallMs } from "./cluster/lease.ts";
import { createTransport } from "./cluster/transport.ts";
import { sharedTime, systemClock } from "./process/clock.ts";
import { forever, never, readTime, writeTime } from "./process/lease-state.ts";
import type { FromLeaseThread, LeaseThreadData } from "./process/lease-state.ts";

const { kubeConfig, lease, shared, longestHangMs } = workerData as LeaseThreadData;
const tell = (message: FromLeaseThread): void => parentPort?.postMessage(message);
const logAs = (level: "debug" | "info" | "warn" | "error") => (fields: object, message: string) =>
  tell({ type: "log", level, fields: plain({ ...fields }), message });
const log = { debug: logAs("debug"), info: logAs("info"), warn: logAs("warn"), error: logAs("error") };

/** Replaces an error by a plain copy: a message cannot carry references of an error, such as a socket. */
function plain({ error, ...fields }: Record<string, unknown>): Record<string, unknown> {
  if (error === undefined) return fields;
  const { name, message, stack } = error instanceof Error ? error : new Error("not an error");
  return { ...fields, error: Object.assign(new Error(message), { name, stack }) };
}

const transport = createTransport({
  config: () => loadKubeConfig(kubeConfig),
  clock: systemClock,
  onRequest: (report) => tell({ type: "request", report }),
  onWarning: (text, request) => log.warn({ ...request, warning: text }, "warning of the API server"),
});

const leadership = createLeadership({
  client: createKubeClient(transport, { deadlineMs: leaseCallMs }),
  clock: systemClock,
  log,
  ...lease,
  holderRuns: () => sharedTime.now() - readTime(shared, "heartbeat") < BigInt(longestHangMs) * 1_000_000n,
  onChange: publish,
});

function publish(): void {
  writeTime(shared, "deadline", sharedOf(leadership.deadline()));
  writeTime(shared, "recordsUntil", sharedOf(leadership.recordsUntil()));
}

function sharedOf(time: number): bigint {
  if (time === Infinity) return forever;
  return time === -Infinity ? never : sharedTime.of(time);
}

void leadership.asked.then(() => tell({ type: "asked" }));
void leadership.acquired.then(() => {
  tell({ type: "acquired", epoch: leadership.epoch(), tookOver: leadership.tookOver() });
});
leadership.lost.addEventListener("abort", () => {
  publish();
  tell({ type: "lost", why: (leadership.lost.reason as Error).message });
});
parentPort?.on("message", () => {
  void leadership
    .release()
    .then(() => transport.close())
    .finally(() => tell({ type: "released" }));
});
