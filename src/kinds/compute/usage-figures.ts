/** Usage figures of an instance, from responses of the cloud API. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";

/** Pairs of epoch milliseconds and a value: not-shown, section 3. */
const series = z.array(z.array(z.number())).nullish();
const network = z.object({ in: series, out: series, private_in: series, private_out: series }).nullish();
const statistics = z.object({
  cpu: series,
  io: z.object({ io: series, swap: series }).nullish(),
  netv4: network,
  netv6: network,
});
const transfer = z.object({ bytes_in: z.int(), bytes_out: z.int(), bytes_total: z.int() });
/** Transfer of the current month: part 2, section 2.8. */
const quota = z.object({ used: z.int(), quota: z.int(), billable: z.int() });

type Series = z.output<typeof series>;

/** Returns the figures of a UsageReport. Throws if a response is unreadable. */
export function reported(stats: Json | undefined, moved: Json | undefined) {
  const { cpu, io, netv4, netv6 } = statistics.parse(stats);
  return {
    transfer: transferred(moved),
    cpuPercent: summary(cpu),
    ioBlocksPerSecond: summary(io?.io),
    swapBlocksPerSecond: summary(io?.swap),
    ipv4: trafficOf(netv4),
    ipv6: trafficOf(netv6),
  };
}

function transferred(moved: Json | undefined) {
  const month = transfer.safeParse(moved).data;
  if (month) return { inBytes: month.bytes_in, outBytes: month.bytes_out, totalBytes: month.bytes_total };
  const { used, quota: quotaGB, billable } = quota.parse(moved);
  return { totalBytes: used, quotaGB, billableGB: billable };
}

function trafficOf(found: z.output<typeof network>) {
  if (!found) return undefined;
  const { in: received, out: sent, private_in: privateIn, private_out: privateOut } = found;
  return { in: summary(received), out: summary(sent), privateIn: summary(privateIn), privateOut: summary(privateOut) };
}

/** Returns average and maximum. Undefined without figures, because the instance did not exist. */
function summary(found: Series) {
  const values = (found ?? []).flatMap(([, value]) => value ?? []);
  if (values.length === 0) return undefined;
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { average: rounded(average), maximum: rounded(values.reduce((a, b) => Math.max(a, b))) };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
