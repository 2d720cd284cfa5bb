import * as z from "zod";
import { defineOnce } from "../../core/kind/once.ts";
import { referenceTo, rule } from "../../core/kind/schema.ts";
import { onInstance } from "./instance-status.ts";
import { reported } from "./usage-figures.ts";

const figures = (description: string) =>
  z
    .object({
      average: z.number().describe("Average over the time.").optional(),
      maximum: z.number().describe("Highest value in that time.").optional(),
    })
    .describe(description)
    .optional();
const traffic = (family: string) =>
  z
    .object({
      in: figures("Received, bit/s."),
      out: figures("Sent, bit/s."),
      privateIn: figures("Received over the private network, bit/s."),
      privateOut: figures("Sent over the private network, bit/s."),
    })
    .describe(`${family} traffic.`)
    .optional();
const bytes = (description: string) => z.int().min(0).describe(description).optional();

const spec = rule(
  z.object({
    instanceRef: referenceTo("ComputeInstance"),
    year: z.int().min(2000).max(2037).describe("Year, UTC; the current time if not given.").optional(),
    month: z.int().min(1).max(12).describe("Month, UTC, in the past or the current one.").optional(),
  }),
  {
    cel: "has(self.year) == has(self.month)",
    check: ({ year, month }) => (year === undefined) === (month === undefined),
    message: "year and month must be given together, or neither",
  },
);

/** Statistics and transfer of a month, or of now: part 2, sections 2.8 and 4.5. */
export const usageReport = defineOnce({
  kind: "UsageReport",
  plural: "usagereports",
  shortNames: ["cpusage"],
  doc: "What a ComputeInstance used in one month, filled in once and kept. Of the current month, it is what there is at that time: the past 30 days for the statistics. Without a month it is the past 24 hours, and the transfer of the current month with its quota. The object outlives its instance.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Year", jsonPath: ".spec.year", type: "integer" },
    { name: "Month", jsonPath: ".spec.month", type: "integer" },
    { name: "Bytes", jsonPath: ".status.transfer.totalBytes", type: "integer" },
  ],
  spec,
  status: z.object({
    transfer: z
      .object({
        inBytes: bytes("Received over the public network."),
        outBytes: bytes("Sent over the public network."),
        totalBytes: bytes("Both together."),
        quotaGB: z.int().describe("What the instance adds to the account's quota of the month, GB.").optional(),
        billableGB: z.int().describe("What is beyond the quota, GB.").optional(),
      })
      .describe("Network transfer.")
      .optional(),
    cpuPercent: figures("Use of the CPU; 100 is one core."),
    ioBlocksPerSecond: figures("Disk blocks read and written."),
    swapBlocksPerSecond: figures("Blocks swapped."),
    ipv4: traffic("IPv4"),
    ipv6: traffic("IPv6"),
  }),
  reach: "own",
  ...onInstance,
  references: { instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true } },
  target: ({ refs }) => refs.instanceRef.id,
  details: ({ id, spec: { year, month } }) => {
    const path = `/compute/instances/${id}`;
    const of = month === undefined ? "" : `/${year}/${month}`;
    return {
      stats: { path: `${path}/stats${of}`, needs: ["cpu"] },
      transfer: { path: `${path}/transfer${of}`, needs: [month === undefined ? "used" : "bytes_total"] },
    };
  },
  report: ({ details }) => (details ? reported(details["stats"], details["transfer"]) : {}),
  examples: [
    {
      name: "web-1-2026-01",
      doc: "What an instance used in January 2026.",
      spec: {
        instanceRef: { name: "web-1" },
        year: 2026,
        month: 1,
        notAfter: "2099-01-01T00:00:00Z",
        ttlSecondsAfterFinished: 31_536_000,
      },
      needs: [{ kind: "ComputeInstance", example: "web-1" }],
    },
    {
      name: "web-1-today",
      doc: "The past 24 hours of an instance, and how much of the month's transfer is used. For a later time, create another object.",
      spec: { instanceRef: { name: "web-1" } },
      needs: [{ kind: "ComputeInstance", example: "web-1" }],
    },
  ],
});
