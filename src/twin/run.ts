/** Runs the operator against a copy of an account and a copy of a cluster, on a simulated clock. */
import { createSecretKey } from "node:crypto";
import { createCloudClient } from "../api/client.ts";
import { configMaps } from "../cluster/config-maps.ts";
import { secrets } from "../cluster/secrets.ts";
import type { KubeObject, Resource } from "../cluster/types.ts";
import { journalAnnotation } from "../core/kind/annotations.ts";
import { recordText, unprovenRecord } from "../core/kind/record.ts";
import { entryText, statedEntryIn } from "../core/model/journal.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { openCopy } from "../simulator/simulator.ts";
import type { CopiedAccount } from "../simulator/simulator.ts";
import { createEngine } from "../wiring/engine.ts";
import { checkStatus } from "./check-status.ts";
import { createRunClock } from "./clock.ts";
import type { RunClock } from "./clock.ts";
import { openRunCluster } from "./cluster.ts";
import type { NotedEvent } from "./cluster.ts";
import { createCopyDispatcher } from "./copy-dispatcher.ts";
import type { CopyDispatcher, SentRequest } from "./copy-dispatcher.ts";
import { resources } from "./definitions.ts";
import { createObjects } from "./objects.ts";
import type { Objects } from "./objects.ts";
import { readAccount } from "./read-account.ts";
import type { AccountReads, ReadingClient } from "./read-account.ts";

/** The token of the copy. The token of the account is not part of a run. */
export const copyToken = "token-of-the-copy";

/** The origin of the copy. No program listens there. */
const copyUrl = "http://copy.invalid";

const key = Buffer.alloc(32, 7);

export interface RunOptions {
  account: AccountReads;
  /** Wall-clock time of the start. */
  start: Date;
  /** The tag of the installation; undefined for no tag. */
  installationTag?: string | undefined;
  /** Names of endpoints that CloudAccounts use. */
  endpoints?: readonly string[];
  settings?: { allowAccountActions?: boolean; protectByDefault?: boolean };
}

/** How a run ended. `rested`: without another request or write for the quiet time. */
export interface Rest {
  rested: boolean;
  /** Simulated milliseconds of the run. */
  tookMs: number;
  turns: number;
}

export interface Run {
  /** The API server of the run. Add objects before and after `start`. */
  objects: Objects;
  /** Stores a copy of an object with its record. The operator of the run trusts the record. */
  loadObject: (object: KubeObject) => void;
  /** Stores the Secret of a CloudAccount, which gives access to the copy only. */
  addToken: (account: KubeObject) => void;
  /** Starts the operator. */
  start: () => void;
  /** Moves the clock until the operator rests. */
  rest: (limits?: Partial<Limits>) => Promise<Rest>;
  /** Reads the copy as an account. */
  readCopy: () => Promise<AccountReads>;
  sent: () => readonly SentRequest[];
  events: () => readonly NotedEvent[];
  copy: CopiedAccount;
  /** Wall-clock time of the run. */
  now: () => Date;
  close: () => Promise<void>;
}

interface Limits {
  /** Simulated milliseconds without a change after which the operator rests. Longer than the longest backoff. */
  quietMs: number;
  /** Most simulated milliseconds. */
  mostMs: number;
  /** Most turns of the clock. */
  mostTurns: number;
}

const defaultLimits: Limits = { quietMs: 360_000, mostMs: 86_400_000, mostTurns: 500_000 };

/** The longest step of the clock without a timer. */
const longestStepMs = 60_000;

/** A job of the copy that ends in this time delays the rest. Weekly backups do not. */
const awaitedJobMs = 1_800_000;

const timing = {
  pollMs: 60_000,
  fastPollMs: 3_000,
  resyncMs: 600_000,
  feedMs: 10_000,
  pageSize: 500,
  settle: { freeMs: 30_000, billableMs: 600_000 },
};

export async function openRun(options: RunOptions): Promise<Run> {
  const clock = createRunClock(options.start);
  const { reads, scopes } = options.account;
  const copy = await openCopy({ clock, reads, scopes, token: copyToken, url: copyUrl, timeScale: 60 });
  const objects = createObjects({ clock, checkStatus });
  const events: NotedEvent[] = [];
  const sending = createCopyDispatcher({ copy, clock, url: copyUrl, token: copyToken });
  const progress = progressOf(objects, sending);
  const parts: Parts = { clock, copy, objects, sending, progress, onEvent: (event) => events.push(event) };
  let stop: (() => Promise<void>) | undefined;
  return {
    objects,
    loadObject: (object) => objects.load(resourceOf(object), trusted(object)),
    addToken: (account) => addToken(objects, account),
    start() {
      stop ??= startEngine(options, parts);
    },
    rest: (limits = {}) => restOf(parts, { ...defaultLimits, ...limits }),
    readCopy: () => readAccount(readerOf(parts)),
    sent: sending.sent,
    events: () => events,
    copy,
    now: () => clock.date(),
    async close() {
      await stop?.();
      await copy.close();
    },
  };
}

function readerOf({ clock, sending }: Parts): ReadingClient {
  const shared = { clock, dispatcher: sending.dispatcher, requestsInTwoMinutes: 1_000_000 };
  return createCloudClient({ baseUrl: copyUrl, token: () => copyToken, brandWord: "compute", ...shared });
}

interface Parts {
  clock: RunClock;
  copy: CopiedAccount;
  objects: Objects;
  sending: CopyDispatcher;
  /** Returns a number that grows with each step of the operator. */
  progress: () => number;
  onEvent: (event: NotedEvent) => void;
}

/** Starts the operator. Returns the function that stops it. */
function startEngine(
  { installationTag, endpoints = ["default"], settings }: RunOptions,
  { clock, objects, sending, onEvent }: Parts,
): () => Promise<void> {
  const ending = new AbortController();
  const quiet = () => undefined;
  const { queue, environment, connect } = createEngine({
    ...timing,
    ...settings,
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    random: () => 0.5,
    deadline: () => Infinity,
    signal: ending.signal,
    dispatcher: sending.dispatcher,
    endpoints: endpoints.map((name) => ({ name, url: copyUrl, requestsInTwoMinutes: 1_000_000 })),
    brandWord: "compute",
    installationKey: key,
    cluster: openRunCluster({ objects, clock, onEvent }),
    installationTag,
    workers: 16,
    look: sending.look,
    measures: { leaving: sending.leaving },
  });
  queue.start();
  return async () => {
    ending.abort(new Error("the run ended"));
    environment.accounts.closeAll();
    await connect.close();
  };
}

async function restOf({ clock, copy, progress }: Parts, limits: Limits): Promise<Rest> {
  const { quietMs, mostMs, mostTurns } = limits;
  const from = clock.now();
  let changedAt = from;
  let state = progress();
  for (let turns = 0; ; turns += 1) {
    const now = clock.now();
    const rested = now - changedAt >= quietMs && !copy.isBusy(awaitedJobMs);
    if (rested || now - from >= mostMs || turns >= mostTurns) return { rested, tookMs: now - from, turns };
    await clock.step(Math.min(Math.max(changedAt + quietMs, now + longestStepMs), from + mostMs));
    const after = progress();
    if (after !== state) changedAt = clock.now();
    state = after;
  }
}

/**
 * Returns a function that counts the progress of a run: the requests that changed the copy, the different refused requests,
 * and the changed reasons of objects. A repeated refusal, and a new time or message in a status, is no progress.
 */
function progressOf(objects: Objects, { sent }: CopyDispatcher): () => number {
  const refused = new Set<string>();
  const reasons = new Map<string, string>();
  let counted = 0;
  let progress = 0;
  for (const resource of resources.values())
    objects.watch(resource, ({ type, object }) => {
      const text = type === "DELETED" ? undefined : reasonsOf(object);
      if (text === reasons.get(object.metadata.uid)) return;
      progress += 1;
      if (text === undefined) reasons.delete(object.metadata.uid);
      else reasons.set(object.metadata.uid, text);
    });
  return () => {
    for (const { status, key: of, method, path, body } of sent().slice(counted)) {
      if (status < 400) progress += 1;
      else refused.add(JSON.stringify([of, method, path, body]));
    }
    counted = sent().length;
    return progress + refused.size;
  };
}

function reasonsOf({ metadata, status }: KubeObject): string {
  const conditions = (status?.["conditions"] ?? []) as { type: string; reason: string }[];
  return [metadata.generation, ...conditions.map(({ type, reason }) => `${type}=${reason}`)].join(" ");
}

function addToken(objects: Objects, { metadata: { namespace = "default" }, spec }: KubeObject): void {
  const given = (spec?.["tokenSecretRef"] ?? {}) as { name?: string; key?: string };
  const { name = "token", key: field = "token" } = given;
  if (objects.get(secrets, { namespace, name })) return;
  objects.create(secrets, { metadata: { namespace, name }, stringData: { [field]: copyToken } });
}

const values = new Map([secrets, configMaps].map((resource) => [resource.kind, resource]));

function resourceOf({ kind }: KubeObject): Resource {
  const resource = resources.get(kind) ?? values.get(kind);
  if (!resource) throw new Error(`no kind ${kind}`);
  return resource;
}

/** Signs the record and the journal entry with the key of the run, because the run does not have the key of the cluster. */
function trusted(object: KubeObject): KubeObject {
  if (object.kind === cloudAccount.kind) return object;
  const own = createSecretKey(key);
  const text = object.status?.["record"];
  const facts = typeof text === "string" ? unprovenRecord(text) : undefined;
  const entry = statedEntryIn(object);
  const { annotations } = object.metadata;
  return {
    ...object,
    ...(facts && { status: { ...object.status, record: recordText(object, facts, own) } }),
    metadata: {
      ...object.metadata,
      ...(entry && { annotations: { ...annotations, [journalAnnotation]: entryText(entry, own) } }),
    },
  };
}
