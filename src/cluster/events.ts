import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import { createEventRate } from "./event-rate.ts";
import { createSeries, repeat, seriesKey, writeSeries } from "./event-series.ts";
import type { Reporter, Series } from "./event-series.ts";
import type { Log } from "../queue/log.ts";
import type { EventNote, EventRecorder, KubeClient, KubeObject } from "./types.ts";

export interface EventRecorderOptions extends Reporter {
  client: KubeClient;
  clock: Clock;
  log: Log;
  /** Called for each dropped event: the rate of the object, a full queue, or an error of the API server. */
  onDropped?: ((why: DropReason) => void) | undefined;
}

export type DropReason = "rate" | "queue" | "error";

/** Shortest interval between writes of a running series. The count stays exact. */
const seriesWriteMs = 30_000;
const mostWaiting = 1_000;
const mostSeries = 4_000;
const attempts = 3;

/**
 * Creates the recorder. Writes events in the background, one after another. Repetitions in ten minutes (same object,
 * reason, action and note) become one event with a count. Queue, memory and the rate per object are limited. The
 * recorder drops events above the limits, because the conditions are the record.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, log } = options;
  const remembered = createMemory(clock);
  const queue = createWriteQueue(options);
  return {
    emit(regarding, note) {
      try {
        const series = remembered(regarding, note);
        if (series === undefined) options.onDropped?.("rate");
        else queue.plan(series);
      } catch (error) {
        log.error({ error }, "an event could not be recorded");
      }
    },
    flush: () => queue.flush(),
  };
}

/** Returns the series of an event with an increased count, or `undefined` if the object has used up its rate. */
function createMemory(clock: Clock): (regarding: KubeObject, note: EventNote) => Series | undefined {
  const memory = new Map<string, Series>();
  const mayWrite = createEventRate(clock);
  return (regarding, note) => {
    const key = seriesKey(regarding, note);
    let series = memory.get(key);
    if (series !== undefined && clock.now() < series.until) repeat(series, regarding, note, clock);
    else if (mayWrite(regarding.metadata.uid)) series = createSeries(regarding, note, clock);
    else return undefined;
    // The map is in order of the last event: the first series is the oldest.
    memory.delete(key);
    memory.set(key, series);
    for (const [oldest, { until }] of memory) {
      if (memory.size <= mostSeries && clock.now() < until) break;
      memory.delete(oldest);
    }
    return series;
  };
}

/** Writes one series at a time, oldest first. A series written recently waits half a minute. */
function createWriteQueue({ client, clock, log, onDropped, controller, instance }: EventRecorderOptions) {
  const queue: Series[] = [];
  const delayed = new Map<Series, () => void>();
  let draining: Promise<void> | undefined;

  function plan(series: Series): void {
    if (series.waiting) return;
    series.waiting = true;
    const wait = series.written === undefined ? 0 : series.written.at + seriesWriteMs - clock.now();
    // The first repetition is written immediately.
    if (wait <= 0 || series.written?.count === 1) enqueue(series);
    else
      delayed.set(
        series,
        clock.schedule(wait, () => enqueue(series)),
      );
  }

  function enqueue(series: Series): void {
    delayed.delete(series);
    const dropped = queue.length < mostWaiting ? undefined : queue.shift();
    if (dropped !== undefined) {
      dropped.waiting = false;
      onDropped?.("queue");
    }
    queue.push(series);
    draining ??= drain().finally(() => (draining = undefined));
  }

  async function drain(): Promise<void> {
    for (let series = queue.shift(); series !== undefined; series = queue.shift()) {
      series.waiting = false;
      try {
        await writeSeries(client, { controller, instance }, clock, series);
        series.failures = 0;
      } catch (error) {
        log.debug({ error, reason: series.told?.note.reason, name: series.name }, "an event was not written");
        if (isWorthAnother(error) && ++series.failures < attempts) plan(series);
        else onDropped?.("error");
      }
    }
  }

  async function flush(): Promise<void> {
    for (const [series, cancel] of delayed) {
      cancel();
      enqueue(series);
    }
    await draining;
  }

  return { plan, flush };
}

function isWorthAnother(error: unknown): boolean {
  return error instanceof KubeError && (error.status === undefined || error.status === 429 || error.status >= 500);
}
