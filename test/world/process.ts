/** One process of the operator in the world: the real queue, core, observer and client, on the models. */
import type { Queue } from "../../src/queue/types.ts";
import { createEngine } from "../../src/wiring/engine.ts";
import { openFakeCluster } from "./cluster.ts";
import type { ClusterOptions, FakeCluster } from "./cluster.ts";
import { createCloudDispatcher } from "./dispatcher.ts";
import type { CloudOptions } from "./dispatcher.ts";
import { reconciling } from "./author.ts";
import type { Gate } from "./gate.ts";

export interface Logged {
  level: "info" | "warn" | "error";
  message: string;
  fields: object;
}

export interface ProcessOptions extends Omit<ClusterOptions, "gate"> {
  gate: Gate;
  cloud: CloudOptions;
  workers: number;
  allowAccountActions: boolean;
  readOnly: boolean;
  protectByDefault: boolean;
  installation: Installation;
  /** Ends a lease: mutating calls may run until then. */
  deadline: () => number;
  timing: typeof defaultTiming;
  random: () => number;
  onLog: (line: Logged) => void;
}

/** As in production. */
export const defaultTiming = {
  pollMs: 60_000,
  fastPollMs: 3_000,
  resyncMs: 600_000,
  feedMs: 10_000,
  pageSize: 500,
  settle: { freeMs: 30_000, billableMs: 600_000 },
};

export interface OperatorProcess {
  gate: Gate;
  cluster: FakeCluster;
  queue: Queue;
}

/** The key of the installation, and when its Secret was created. */
export interface Installation {
  key: Uint8Array;
  since: string;
}

/** The same for all processes of a world. */
export const installationKey = Buffer.alloc(32, 7);

/** Starts it: caches are filled, and it leads. */
export function startProcess(options: ProcessOptions): OperatorProcess {
  const { gate, workers, timing, deadline, random } = options;
  const log = {
    debug: () => undefined,
    info: (fields: object, message: string) => options.onLog({ level: "info", message, fields }),
    warn: (fields: object, message: string) => options.onLog({ level: "warn", message, fields }),
    error: (fields: object, message: string) => options.onLog({ level: "error", message, fields }),
  };
  const cluster = openFakeCluster(options);
  const { queue } = createEngine({
    ...timing,
    clock: gate.clock,
    log,
    random,
    deadline,
    signal: new AbortController().signal,
    dispatcher: createCloudDispatcher(options.cloud, gate),
    endpoints: [{ name: "default", url: "http://cloud.test" }],
    brandWord: options.cloud.brandWord,
    allowAccountActions: options.allowAccountActions,
    readOnly: options.readOnly,
    protectByDefault: options.protectByDefault,
    disabledKinds: options.disabledKinds,
    namespaces: options.namespaces && [...options.namespaces],
    catalogs: options.catalogs ? { everyMs: 3_600_000 } : undefined,
    imageSources: ["https://images.test"],
    installationKey: options.installation.key,
    installationKeySince: options.installation.since,
    installationKeySecret: { namespace: "default", name: "installation-key" },
    cluster,
    installationTag: "cpo-test",
    workers,
    look: (key, run) => reconciling.run(key, run),
  });
  queue.start();
  return { gate, cluster, queue };
}
