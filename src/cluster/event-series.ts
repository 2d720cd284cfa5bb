import { randomBytes } from "node:crypto";
import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import { microTime } from "./micro-time.ts";
import type { EventNote, KubeClient, KubeObject, Resource } from "./types.ts";

/** An event with its repetitions: same object, reason, action and note, less than ten minutes apart. */
export interface Series {
  /** The last repetition. Undefined once the API server has the event, to save memory. */
  told: Told | undefined;
  namespace: string;
  name: string;
  /** Wall clock milliseconds. */
  firstAt: number;
  lastAt: number;
  /** Clock milliseconds from which a repetition starts a new event. */
  until: number;
  count: number;
  /** The state at the API server; undefined before the first write. */
  written?: { count: number; at: number };
  /** Waits in the queue, or has a timer. */
  waiting: boolean;
  failures: number;
}

interface Told {
  regarding: Record<string, string>;
  note: EventNote;
}

export interface Reporter {
  /** Name of the reporter, such as `cloudplatform.dev/operator`. */
  controller: string;
  /** Name of this process, such as the name of the pod. */
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
/** Limits of events.k8s.io/v1, in bytes and characters. */
const longestNote = 1_024;
const longestReason = 128;

export function seriesKey({ metadata }: KubeObject, { type, reason, action, note }: EventNote): string {
  return JSON.stringify([metadata.uid, type, reason, action, note]);
}

export function createSeries(object: KubeObject, note: EventNote, clock: Clock): Series {
  const { name, namespace } = object.metadata;
  const now = clock.date().getTime();
  return {
    told: { regarding: referenceTo(object), note },
    // Events of cluster-scoped objects go to `default`, as in client-go.
    namespace: namespace ?? "default",
    // `join` creates a flat string. A template string would keep its parts in memory.
    name: [name.slice(0, 230).replace(/(?<![^a-z0-9])[^a-z0-9]+$/, ""), randomBytes(8).toString("hex")].join("."),
    firstAt: now,
    lastAt: now,
    until: clock.now() + seriesMs,
    count: 1,
    waiting: false,
    failures: 0,
  };
}

export function repeat(series: Series, object: KubeObject, note: EventNote, clock: Clock): void {
  series.told = { regarding: referenceTo(object), note };
  series.count++;
  series.lastAt = clock.date().getTime();
  series.until = clock.now() + seriesMs;
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Record<string, string> {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
}

/**
 * Creates the event, or patches the count of the series. Creates the event again after its expiry at the API server.
 */
export async function writeSeries(client: KubeClient, reporter: Reporter, clock: Clock, entry: Series): Promise<void> {
  const { count, name, namespace, written, told } = entry;
  if (written?.count === count || told === undefined) return;
  const series = count > 1 ? { series: { count, lastObservedTime: microTime(new Date(entry.lastAt)) } } : {};
  const known = written !== undefined && (await patched(client, { namespace, name }, series));
  if (!known) await client.create(events, { ...bodyOf(entry, told, reporter), ...series });
  entry.written = { count, at: clock.now() };
  if (entry.count === count) entry.told = undefined;
}

async function patched(
  client: KubeClient,
  ref: { namespace: string; name: string },
  patch: Record<string, unknown>,
): Promise<boolean> {
  try {
    await client.patch(events, ref, patch);
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.notFound) return false;
    throw error;
  }
}

function bodyOf(
  { namespace, name, firstAt }: Series,
  { regarding, note }: Told,
  { controller, instance }: Reporter,
): Record<string, unknown> {
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace },
    eventTime: microTime(new Date(firstAt)),
    reportingController: controller,
    reportingInstance: instance.slice(0, longestReason),
    type: note.type,
    reason: note.reason.slice(0, longestReason),
    action: note.action.slice(0, longestReason),
    note: shortened(note.note),
    regarding,
  };
}

function shortened(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= longestNote) return note;
  const cut = bytes.subarray(0, longestNote - 3).toString();
  return `${cut.replace(/\uFFFD$/, "")}…`;
}
