/*
 * The machinery that serves every operation alike: requests, callers, lists, jobs, events, limits, and what the control side moves.
 * Guarantees: an effect and its entry in the ledger are one transaction; areas declare what they serve and are handed the world.
 * Imports no area: what areas export is in ../registry.ts, which is generated, and is handed in by simulator.ts.
 */
import type { Brand } from "./brand.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Faults } from "./faults/faults.ts";
import type { Jobs } from "./jobs.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Blobs } from "./store/blobs.ts";
import type { Store } from "./store/store.ts";

/** Everything that one simulated service consists of; handed to handlers and jobs. */
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
  /** Base URL under which clients reach the service; for pre-signed and upload URLs. Known once it listens. */
  readonly url: () => string;
  /** Aborts when the simulator ends: what goes on for as long as it runs must end, too. */
  readonly ending: AbortSignal;
}

/** A kind of job: what happens when it is due. Found by its name, because jobs survive restarts as data. */
export interface JobKind {
  readonly name: string;
  run(world: World, account: string, payload: Readonly<Record<string, unknown>>): void;
}
