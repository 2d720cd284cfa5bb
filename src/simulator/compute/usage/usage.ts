/*
 * Serves statistics and network transfer of an instance.
 * Guarantees: values are generated but reproducible.
 * Imports the areas that compute may import.
 */
import { DAY_MS } from "../../server/clock.ts";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import { instanceOperation } from "../instance-operation.ts";
import { monthOf, statisticsOf, transferOf } from "./statistics.ts";

const LONG_STEP_MS = 7_200_000;
const GIGABYTE = 1e9;
const limit = { bucket: "stats", requests: 100, seconds: 60 };

/** Serves statistics and network transfer of an instance (part 2 sections 2.8 and 4.5). */
export const usageOperations = [
  instanceOperation({
    method: "GET",
    path: "/stats",
    summary: "Statistics of the past 24 hours",
    limit,
    handler: ({ world, account, now }, instance) => statisticsOf(world, account, instance, [now - DAY_MS, now]),
  }),
  instanceOperation({
    method: "GET",
    path: "/stats/{year}/{month}",
    summary: "Statistics of a month; of the current one, the past 30 days",
    limit,
    handler(context, instance) {
      const { world, account, now } = context;
      const [from, to] = monthOf(yearOf(context, 1970, 9999), monthNumberOf(context));
      if (from > now) throw invalid("month", "The month must be in the past or the current one");
      const span = to > now ? ([now - 30 * DAY_MS, now] as const) : ([from, to] as const);
      return statisticsOf(world, account, instance, span, LONG_STEP_MS);
    },
  }),
  instanceOperation({
    method: "GET",
    path: "/transfer",
    summary: "Network transfer of the current month",
    handler({ world, account, now }, instance) {
      const today = new Date(now);
      const [from] = monthOf(today.getUTCFullYear(), today.getUTCMonth() + 1);
      const bytes = transferOf(world, account, instance, [from, now]);
      const used = bytes.in + bytes.out;
      const quota = typeNamed(world, instance.type).transfer;
      return { used, quota, billable: Math.max(0, Math.floor(used / GIGABYTE) - quota) };
    },
  }),
  instanceOperation({
    method: "GET",
    path: "/transfer/{year}/{month}",
    summary: "Network transfer of a month",
    handler(context, instance) {
      const { world, account, now } = context;
      const [from, to] = monthOf(yearOf(context, 2000, 2037), monthNumberOf(context));
      const bytes = transferOf(world, account, instance, [from, Math.min(to, now)]);
      return { bytes_in: bytes.in, bytes_out: bytes.out, bytes_total: bytes.in + bytes.out };
    },
  }),
];

function yearOf(context: Context, least: number, most: number): number {
  return numberOf(context, "year", least, most);
}

function monthNumberOf(context: Context): number {
  return numberOf(context, "month", 1, 12);
}

function numberOf({ params }: Context, name: string, least: number, most: number): number {
  const text = params[name] ?? "";
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) throw invalid(name, `Must be ${least}-${most}`);
  return value;
}
