import { randomBytes } from "node:crypto";
import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import type { Log } from "./log.ts";
import type { EventNote, EventRecorder, KubeClient, KubeObject, Resource } from "./types.ts";

export interface EventRecorderOptions {
  client: KubeClient;
  clock: Clock;
  log: Log;
  /** Who reports, such as `cloudplatform.dev/operator`. */
  controller: string;
  /** This process, such as the pod's name. */
  instance: string;
}

export const events: Resource = {
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
};

const seriesMs = 10 * 60_000;
/** A running series is written at most this often; the count is exact all the same. */
const seriesWriteMs = 30_000;
const mostWaiting = 1_000;
const mostSeries = 4_000;
/** An object may write this many events at once, and one more every 30 s. */
const burst = 20;
const refillMs = 30_000;
const attempts = 3;
/** Limits of the API (events.k8s.io/v1, validation). */
const longestNote = 1_024;
const longestReason = 128;

interface Series {
  key: string;
  regarding: KubeObject;
  note: EventNote;
  name: string;
  firstAt: Date;
  lastAt: Date;
  /** Clock milliseconds after which a repetition is a new event. */
  until: number;
  count: number;
  /** Undefined until the event exists at the API server. */
  written?: { count: number; at: number };
  waiting: boolean;
  failures: number;
}

/**
 * Writes events in the background, one after the other. What repeats within ten minutes (same object, reason, action
 * and note) becomes one event with a count. Queue, memory and the rate for one object are bounded: beyond that, events
 * are dropped, since an event is a courtesy and the condition is the record.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, log } = options;
  const series = new Map<string, Series>();
  const queue: Series[] = [];
  const allow = createRateLimit(clock);
  const timers = new Set<() => void>();
  let draining: Promise<void> | undefined;

  function record(regarding: KubeObject, note: EventNote): void {
    const key = keyOfSeries(regarding, note);
    let entry = series.get(key);
    if (entry === undefined || clock.now() >= entry.until) {
      if (!allow(regarding.metadata.uid)) return;
      entry = createSeries(key, regarding, note, clock);
    } else {
      entry.count++;
      entry.lastAt = clock.date();
      entry.until = clock.now() + seriesMs;
    }
    // Last in the map is the one heard of last, so that the first is the one to forget.
    series.delete(key);
    series.set(key, entry);
    forgetOld();
    plan(entry);
  }

  function forgetOld(): void {
    for (const [key, entry] of series) {
      if (series.size <= mostSeries && clock.now() < entry.until) return;
      series.delete(key);
    }
  }

  function plan(entry: Series): void {
    if (entry.waiting) return;
    entry.waiting = true;
    const wait = entry.written === undefined ? 0 : entry.written.at + seriesWriteMs - clock.now();
    if (wait <= 0 || entry.written?.count === 1) return enqueue(entry);
    const cancel = clock.schedule(wait, () => {
      timers.delete(fire);
      enqueue(entry);
    });
    const fire = () => {
      cancel();
      enqueue(entry);
    };
    timers.add(fire);
  }

  function enqueue(entry: Series): void {
    if (queue.length >= mostWaiting) {
      const dropped = queue.shift();
      if (dropped !== undefined) dropped.waiting = false;
      log.debug({ reason: dropped?.note.reason }, "an event was dropped because too many wait");
    }
    queue.push(entry);
    draining ??= drain().finally(() => {
      draining = undefined;
    });
  }

  async function drain(): Promise<void> {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      entry.waiting = false;
      try {
        await write(options, entry);
        entry.failures = 0;
      } catch (error) {
        log.debug({ error, reason: entry.note.reason, name: entry.name }, "an event was not written");
        if (isWorthAnother(error) && ++entry.failures < attempts) plan(entry);
      }
    }
  }

  return {
    emit(regarding, note) {
      try {
        record(regarding, note);
      } catch (error) {
        log.error({ error }, "an event could not be recorded");
      }
    },
    async flush() {
      for (const fire of timers) fire();
      timers.clear();
      await draining;
    },
  };
}

function isWorthAnother(error: unknown): boolean {
  return error instanceof KubeError && (error.status === undefined || error.status === 429 || error.status >= 500);
}

function keyOfSeries({ metadata }: KubeObject, { type, reason, action, note }: EventNote): string {
  return JSON.stringify([metadata.uid, type, reason, action, note]);
}

function createSeries(key: string, regarding: KubeObject, note: EventNote, clock: Clock): Series {
  const now = clock.date();
  const name = `${regarding.metadata.name.slice(0, 230).replace(/[^a-z0-9]+$/, "")}.${randomBytes(8).toString("hex")}`;
  const { apiVersion, kind, metadata } = regarding;
  const slim = { apiVersion, kind, metadata };
  return {
    key,
    regarding: slim,
    note,
    name,
    firstAt: now,
    lastAt: now,
    until: clock.now() + seriesMs,
    count: 1,
    waiting: false,
    failures: 0,
  };
}

/** Creates the event, or patches the count of its series; an event that has expired at the server is made anew. */
async function write({ client, clock, controller, instance }: EventRecorderOptions, entry: Series): Promise<void> {
  const { count } = entry;
  if (entry.written?.count === count) return;
  const series = count > 1 ? { series: { count, lastObservedTime: microTime(entry.lastAt) } } : {};
  if (entry.written === undefined) {
    await client.create(events, { ...bodyOf(entry, controller, instance), ...series });
  } else {
    const ref = { namespace: namespaceOf(entry.regarding), name: entry.name };
    try {
      await client.patch(events, ref, series);
    } catch (error) {
      if (!(error instanceof KubeError) || !error.notFound) throw error;
      await client.create(events, { ...bodyOf(entry, controller, instance), ...series });
    }
  }
  entry.written = { count, at: clock.now() };
}

function bodyOf(
  { regarding, note, name, firstAt }: Series,
  controller: string,
  instance: string,
): Record<string, unknown> {
  const { apiVersion, kind, metadata } = regarding;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace: namespaceOf(regarding) },
    eventTime: microTime(firstAt),
    reportingController: controller,
    reportingInstance: instance.slice(0, longestReason),
    type: note.type,
    reason: note.reason.slice(0, longestReason),
    action: note.action.slice(0, longestReason),
    note: shortened(note.note),
    regarding: {
      apiVersion,
      kind,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
    },
  };
}

/** Events of cluster-scoped objects live in `default`, as those of client-go do. */
function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "default";
}

/** The limit counts bytes. */
function shortened(note: string): string {
  if (Buffer.byteLength(note) <= longestNote) return note;
  const cut = Buffer.from(note)
    .subarray(0, longestNote - 3)
    .toString();
  return `${cut.replace(/\uFFFD$/, "")}…`;
}

/** Kubernetes' MicroTime. */
function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}

/** A token bucket for each object, forgotten when it is full again. */
function createRateLimit(clock: Clock): (uid: string) => boolean {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (uid) => {
    const now = clock.now();
    for (const [key, { at }] of buckets) {
      if (now - at < burst * refillMs) break;
      buckets.delete(key);
    }
    const { tokens, at } = buckets.get(uid) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (now - at) / refillMs);
    if (filled < 1) return false;
    buckets.delete(uid);
    buckets.set(uid, { tokens: filled - 1, at: now });
    return true;
  };
}
