import { isIP } from "node:net";
import * as z from "zod";
import { invalid } from "../server/errors.ts";
import { optional } from "../server/wire.ts";
import type { DatabaseRow, Updates } from "./tables.ts";

/** Addresses and networks that may connect. A bare IPv4 address becomes a `/32` (part 1 section 2.3). */
export const allowList = optional(
  z.array(z.string().refine(isAddressOrNetwork, "Must be an IP address or a CIDR range").transform(withPrefix)),
);

/** The maintenance window (not-shown section 2). An omitted field keeps the value. */
export const updatesSchema = optional(
  z.object({
    frequency: optional(z.enum(["weekly", "monthly"])),
    day_of_week: bounded(1, 7),
    hour_of_day: bounded(0, 23),
    duration: bounded(1, 3),
    week_of_month: bounded(1, 4),
  }),
);

/** The window of a new database: Sunday at midnight UTC, four hours. */
export const DEFAULT_UPDATES: Updates = {
  frequency: "weekly",
  day_of_week: 7,
  hour_of_day: 0,
  duration: 4,
  week_of_month: null,
};

/** Returns the window after a change. A weekly window has no `week_of_month`, and a monthly window requires `week_of_month`. */
export function changedUpdates(before: Updates, wanted: NonNullable<z.output<typeof updatesSchema>>): Updates {
  const frequency = wanted.frequency ?? before.frequency;
  if (frequency === "weekly" && wanted.week_of_month !== undefined)
    throw invalid("updates.week_of_month", "Must be null for a weekly window");
  const week = frequency === "weekly" ? null : (wanted.week_of_month ?? before.week_of_month);
  if (frequency === "monthly" && week === null)
    throw invalid("updates.week_of_month", "week_of_month is required for a monthly window");
  return {
    frequency,
    day_of_week: wanted.day_of_week ?? before.day_of_week,
    hour_of_day: wanted.hour_of_day ?? before.hour_of_day,
    duration: wanted.duration ?? before.duration,
    week_of_month: week,
  };
}

/** Settings of the engine, a newer field of the service. Sections are merged with the stored sections. */
export const engineConfig = optional(z.record(z.string(), z.unknown()));

/** Returns the settings after a change. An omitted setting keeps the value. */
export function changedConfig(
  before: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const changed = Object.entries(wanted ?? {}).map(([name, value]): [string, unknown] => {
    const current = before[name];
    return [name, isSection(value) && isSection(current) ? { ...current, ...value } : value];
  });
  return Object.fromEntries([...Object.entries(before), ...changed]);
}

function isSection(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

type Replication = DatabaseRow["replication_type"];

/** Returns the replication type: `none` for one node, and by default `semi_synch` for three nodes (not-shown section 2). */
export function replicationOf(clusterSize: 1 | 3, wanted: Replication | undefined): Replication {
  const replication = wanted ?? (clusterSize === 1 ? "none" : "semi_synch");
  if ((replication === "none") !== (clusterSize === 1))
    throw invalid("replication_type", "Must be none for one node, and asynch or semi_synch for three");
  return replication;
}

function bounded(least: number, most: number) {
  return optional(
    z.int().min(least, `Must be between ${least} and ${most}`).max(most, `Must be between ${least} and ${most}`),
  );
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function withPrefix(text: string): string {
  return isIP(text) === 4 ? `${text}/32` : text;
}
