/*
 * The simulator: the cloud's HTTP API, complete, on an embedded database.
 * It is the backend of the demo and the counterpart of every test, and useful alone to try any client of the API on.
 * Guarantees: what was answered is stored; what is refused leaves no trace; every request is in the ledger.
 * Written from the documents alone, so that no misunderstanding of the operator is shared.
 * May import its own room and the type of the clock; main.ts alone reads the environment.
 */
import { randomBytes } from "node:crypto";
import { Server } from "node:tls";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../queue/clock.ts";
import { brandFor } from "./brand.ts";
import type { Certificate } from "./certificate.ts";
import { SimulatedClock, systemClock } from "./clock.ts";
import { controlOf } from "./control.ts";
import type { Control } from "./control.ts";
import { Faults } from "./faults.ts";
import { Jobs } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { Ledger } from "./ledger.ts";
import { Blobs } from "./objectstorage/blobs.ts";
import { RateLimits } from "./rate-limits.ts";
import { JOB_KINDS } from "./registry.ts";
import { seed } from "./seed.ts";
import { buildServer } from "./server.ts";
import { Store } from "./store.ts";
import type { World } from "./world.ts";

export interface SimulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** HTTPS with this certificate; default: plain HTTP. */
  tls?: Certificate;
  /** How clients reach it, for the URLs that it hands out; default: where it listens. */
  publicUrl?: string | undefined;
  /** A file, or `:memory:` (default). */
  database?: string;
  /** Documented durations of jobs are divided by this; default 1. */
  timeScale?: number;
  /** Default `compute`. */
  brandWord?: string;
  /** Token of the demo account's unrestricted user; default: a random one. The restricted user's is `<token>-restricted`. */
  token?: string | undefined;
  controlToken?: string | undefined;
  /** Default false: requests are not counted. */
  rateLimits?: boolean;
  /** Default: the system's. */
  clock?: Clock;
}

export interface Simulator {
  /** Without a slash at the end and without a version segment: `http://127.0.0.1:8090`. */
  readonly url: string;
  readonly token: string;
  readonly controlToken: string;
  readonly control: Control;
  /** Shows another certificate from now on; connections that are open keep theirs. */
  useCertificate(certificate: Certificate): void;
  /** Ends connections and timers; what was answered is stored. */
  close(): Promise<void>;
}

/** Starts a simulator and answers when it listens. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = "127.0.0.1", token = newSecret(), controlToken = newSecret() } = options;
  let url = "";
  const ending = new AbortController();
  const world = buildWorld(options, () => options.publicUrl ?? url, ending.signal);
  world.store.transaction(() => seed(world.store, world.clock, { token }));
  const control = controlOf(world, { token });
  const app = buildServer(world, control, { controlToken, tls: options.tls });
  url = (await app.listen({ port, host })).replace(/\/$/, "");
  world.jobs.wake();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    ending.abort();
    return (closing ??= shutDown(world, app));
  };
  const useCertificate = (certificate: Certificate): void => {
    if (app.server instanceof Server) app.server.setSecureContext(certificate);
  };
  return { url, token, controlToken, control, useCertificate, close };
}

async function shutDown(world: World, app: FastifyInstance): Promise<void> {
  world.jobs.stop();
  const closed = app.close();
  // Requests that a fault holds back would keep the server open for as long as the fault says.
  const cancel = systemClock.schedule(500, () => app.server.closeAllConnections());
  await closed;
  cancel();
  world.clock.stop();
  world.store.close();
}

function buildWorld(options: SimulatorOptions, url: () => string, ending: AbortSignal): World {
  const clock = new SimulatedClock(options.clock ?? systemClock, options.timeScale ?? 1);
  const store = new Store(options.database ?? ":memory:", () => clock.now());
  const kinds = new Map(JOB_KINDS.map((kind) => [kind.name, kind]));
  const run = (job: Job): void => {
    const kind = kinds.get(job.name);
    if (!kind) throw new Error(`no kind of job is called ${job.name}`);
    kind.run(world, job.account, job.payload);
  };
  const world: World = {
    store,
    clock,
    jobs: new Jobs(store, clock, run),
    ledger: new Ledger(store.database),
    blobs: new Blobs(store.database),
    faults: new Faults(),
    limits: new RateLimits(clock, options.rateLimits ?? false),
    brand: brandFor(options.brandWord ?? "compute"),
    url,
    ending,
  };
  return world;
}

function newSecret(): string {
  return randomBytes(32).toString("hex");
}
