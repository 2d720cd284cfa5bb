/*
 * The simulator: the complete HTTP API of the cloud on an embedded database.
 * The demo and the tests use it as the cloud. You can also test other clients of the API with it.
 * Guarantees: an effect is stored before the response, a refused request has no effect, and every request is in the ledger.
 * The simulator is written only from the documents, so that it does not repeat the operator's misunderstandings.
 * server/ has the shared parts. Every other folder is an area of the API with its rows, data, behaviour and routes.
 * This file combines the areas. It imports only the simulator's folders and the type of the clock. Only main.ts reads
 * the environment.
 */
import { randomBytes } from "node:crypto";
import { Server } from "node:tls";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../queue/clock.ts";
import { CONTROLS, INDEXED_TABLES, JOB_KINDS, LOADS, MOUNTS, OPERATIONS, SEEDS } from "./registry.ts";
import { brandFor } from "./server/brand.ts";
import { SimulatedClock, systemClock } from "./server/clock.ts";
import type { Act } from "./server/control/area-control.ts";
import { controlOf } from "./server/control/control.ts";
import type { Control } from "./server/control/control.ts";
import { EVENTS } from "./server/events.ts";
import { Faults } from "./server/faults/faults.ts";
import { buildServer } from "./server/http/http-server.ts";
import { Jobs } from "./server/jobs.ts";
import type { Job } from "./server/jobs.ts";
import { Ledger } from "./server/ledger/ledger.ts";
import type { LedgerEntry } from "./server/ledger/ledger.ts";
import { firstNewId, loadCopy, startNewIds } from "./server/load.ts";
import type { Load, Read } from "./server/load.ts";
import { operationNames } from "./server/operation-names.ts";
import { RateLimits } from "./server/rate-limits.ts";
import { DEMO_ACCOUNT, seedStore } from "./server/seed.ts";
import type { SeedOptions } from "./server/seed.ts";
import type { Certificate } from "./server/settings/certificate.ts";
import { Blobs } from "./server/store/blobs.ts";
import { Store } from "./server/store/store.ts";
import type { World } from "./server/world.ts";

export interface SimulatorOptions {
  /** Defaults to 0, a free port. */
  port?: number;
  /** Defaults to 127.0.0.1. */
  host?: string;
  /** Certificate for HTTPS. Defaults to HTTP. */
  tls?: Certificate;
  /** Base URL for clients, for URLs in responses. Defaults to host and port. */
  publicUrl?: string | undefined;
  /** A file, or `:memory:` (default). */
  database?: string;
  /** Divides the documented durations of jobs. Defaults to 1. */
  timeScale?: number;
  /** Defaults to `compute`. */
  brandWord?: string;
  /**
   * Token of the demo account's unrestricted user. Defaults to a random token. The restricted user has the token
   * `<token>-restricted`.
   */
  token?: string | undefined;
  controlToken?: string | undefined;
  /** True: count requests and refuse requests above the limits. Defaults to false. */
  rateLimits?: boolean;
  /** Defaults to the system clock. */
  clock?: Clock;
}

/** Functions of the areas on the control side, such as `control.compute.powerOff(…)`. */
type AreaVerbs = { readonly [Area in keyof typeof CONTROLS]: ReturnType<(typeof CONTROLS)[Area]["verbs"]> };

export interface Simulator {
  /** Without a trailing slash and without a version segment, such as `http://127.0.0.1:8090`. */
  readonly url: string;
  readonly token: string;
  readonly controlToken: string;
  readonly control: Control & AreaVerbs;
  /** Replaces the certificate. Open connections keep the old certificate. */
  useCertificate(certificate: Certificate): void;
  /** Closes connections and timers. Effects of sent responses are stored. */
  close(): Promise<void>;
}

/** Starts a simulator. Resolves after the server listens. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = "127.0.0.1", token = newSecret(), controlToken = newSecret() } = options;
  let url = "";
  const ending = new AbortController();
  const world = buildWorld(options, () => options.publicUrl ?? url, ending.signal);
  const seedOptions = { token, seeds: SEEDS };
  world.store.transaction(() => seedStore(world.store, world.clock, seedOptions));
  const { app, control } = serve(world, seedOptions, controlToken, options.tls);
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

export interface CopyOptions {
  /** Moves the time of the copy. */
  clock: Clock;
  /** Responses of the API. A read that failed is not part of the list. */
  reads: readonly Read[];
  token: string;
  /** Scopes of the token, separated by spaces, or `*`. */
  scopes: string;
  /** Base URL for URLs in responses. */
  url: string;
  /** Divides the documented durations of jobs. Defaults to 1. */
  timeScale?: number;
  /** First ID of new rows. Defaults to a number above all IDs of the reads. */
  newIdsFrom?: number;
}

export interface LocalRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface LocalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: Buffer;
}

/** A copy of an account in memory. */
export interface CopiedAccount {
  /** Runs a request without a socket. */
  send(request: LocalRequest): Promise<LocalAnswer>;
  /** Returns the requests that changed or were to change the copy, oldest first. */
  ledger(): LedgerEntry[];
  /** First ID of new rows. */
  readonly newIdsFrom: number;
  /** Returns true if a job of the copy ends in this time, milliseconds. */
  isBusy(withinMs: number): boolean;
  close(): Promise<void>;
}

/** The loads of all areas: which reads a copy needs. */
export const loads: readonly Load[] = LOADS;

/** Opens a copy of an account from responses of the API, without a listening server. */
export async function openCopy(options: CopyOptions): Promise<CopiedAccount> {
  const { clock, reads, token, scopes, url, timeScale = 1, newIdsFrom = firstNewId(reads) } = options;
  const ending = new AbortController();
  const world = buildWorld({ clock, timeScale }, () => url, ending.signal);
  world.store.transaction(() => SEEDS.forEach((each) => each.seed(world.store, world.clock.now())));
  loadCopy(world, LOADS, { reads, token, scopes });
  startNewIds(world, newIdsFrom);
  const { app } = serve(world, { token: newSecret(), seeds: [] }, newSecret(), undefined);
  await app.ready();
  world.jobs.wake();
  return {
    async send({ method, path, headers, body }) {
      const sent = { method: method as "GET", url: path, headers, ...(body !== undefined && { payload: body }) };
      const { statusCode: status, headers: shown, rawPayload } = await app.inject(sent);
      return { status, headers: shown, body: rawPayload };
    },
    ledger: () => world.ledger.read({ mutating: true }),
    newIdsFrom,
    isBusy: (withinMs) => world.jobs.isDue(withinMs),
    async close() {
      ending.abort();
      await shutDown(world, app);
    },
  };
}

function serve(
  world: World,
  seedOptions: SeedOptions,
  controlToken: string,
  tls: Certificate | undefined,
): { app: FastifyInstance; control: Control & AreaVerbs } {
  const operations = operationNames(OPERATIONS, MOUNTS);
  const areas = openAreas(world);
  const control = { ...controlOf(world, { seedOptions, operations }), ...areas.verbs };
  const served = { operations: OPERATIONS, mounts: MOUNTS, areaActs: areas.acts, controlToken, tls };
  return { app: buildServer(world, control, served), control };
}

/** Opens the control sides of the areas for the demo account: functions by area, and routes. */
function openAreas(world: World): { verbs: AreaVerbs; acts: Record<string, Act> } {
  const opened = Object.entries(CONTROLS).map(([area, control]) => {
    const verbs = control.verbs(world, DEMO_ACCOUNT);
    return { area, verbs, acts: control.routes(verbs as never) };
  });
  return {
    verbs: Object.fromEntries(opened.map(({ area, verbs }) => [area, verbs])) as AreaVerbs,
    acts: Object.assign({}, ...opened.map(({ acts }) => acts)) as Record<string, Act>,
  };
}

async function shutDown(world: World, app: FastifyInstance): Promise<void> {
  world.jobs.stop();
  const closed = app.close();
  // Closes connections after 500 ms, because a request that a fault delays would keep the server open.
  const cancel = systemClock.schedule(500, () => app.server.closeAllConnections());
  await closed;
  cancel();
  world.clock.stop();
  world.store.close();
}

function buildWorld(options: SimulatorOptions, url: () => string, ending: AbortSignal): World {
  const clock = new SimulatedClock(options.clock ?? systemClock, options.timeScale ?? 1);
  const store = new Store(options.database ?? ":memory:", () => clock.now(), [EVENTS, ...INDEXED_TABLES]);
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
