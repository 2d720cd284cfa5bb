/*
 * The server of all operations: requests, callers, lists, jobs, events, limits, control side.
 * Guarantees: an effect and the ledger entry are one transaction. Areas declare operations, and handlers get the world.
 * Imports no area. The generated file ../registry.ts has the exports of all areas, and simulator.ts passes the exports
 * to the server.
 */
import type { Brand } from "./brand.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Faults } from "./faults/faults.ts";
import type { Jobs } from "./jobs.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Blobs } from "./store/blobs.ts";
import type { Store } from "./store/store.ts";

/** The parts of one simulated service, for handlers and jobs. */
export interface World {
  readonly store: Store;
  readonly clock: SimulatedClock;
  readonly jobs: Jobs;
  readonly ledger: Ledger;
  /** Contents of objects. */
  readonly blobs: Blobs;
  readonly faults: Faults;
  readonly limits: RateLimits;
  readonly brand: Brand;
  /** Returns the base URL for clients, for pre-signed and upload URLs. Known after the server listens. */
  readonly url: () => string;
  /** Aborts if the simulator closes. Long-running work must stop. */
  readonly ending: AbortSignal;
}

/** A kind of job. A stored job refers to the kind by name, because jobs survive restarts as data. */
export interface JobKind {
  readonly name: string;
  run(world: World, account: string, payload: Readonly<Record<string, unknown>>): void;
}
