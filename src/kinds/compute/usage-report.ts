import * as z from "zod";
import { defineOnce } from "../../core/kind/once.ts";
import { referenceTo, rule } from "../../core/kind/schema.ts";
import { onInstance } from "./instance-status.ts";
import { reported } from "./usage-figures.ts";

const figures = (description: string) =>
  z
    .object({
      average: z.number().describe("Average over the period.").optional(),
      maximum: z.number().describe("Highest value in the period.").optional(),
    })
    .describe(description)
    .optional();
const traffic = (family: string) =>
  z
    .object({
      in: figures("Received traffic in bit/s."),
      out: figures("Sent traffic in bit/s."),
      privateIn: figures("Received traffic on the private network in bit/s."),
      privateOut: figures("Sent traffic on the private network in bit/s."),
    })
    .describe(`${family} traffic.`)
    .optional();
const bytes = (description: string) => z.int().min(0).describe(description).optional();

const spec = rule(
  z.object({
    instanceRef: referenceTo("ComputeInstance"),
    year: z
      .int()
      .min(2000)
      .max(2037)
      .describe("Year in UTC. If absent, the report covers the current time.")
      .optional(),
    month: z.int().min(1).max(12).describe("Month in UTC. Must not be in the future.").optional(),
  }),
  {
    cel: "has(self.year) == has(self.month)",
    check: ({ year, month }) => (year === undefined) === (month === undefined),
    message: "year and month must be given together, or neither",
  },
);

/** Statistics and transfer of a month, or of the current time: part 2, sections 2.8 and 4.5. */
export const usageReport = defineOnce({
  kind: "UsageReport",
  plural: "usagereports",
  shortNames: ["cpusage"],
  doc: "Statistics and network transfer of a ComputeInstance in one month. The operator writes the report once. For the current month, the report contains the transfer at the time of the report, and statistics of the past 30 days. Without a month, the report contains statistics of the past 24 hours, and the transfer and quota of the current month. The report stays when the instance is deleted.",
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
        inBytes: bytes("Bytes received on the public network."),
        outBytes: bytes("Bytes sent on the public network."),
        totalBytes: bytes("Received and sent bytes together."),
        quotaGB: z.int().describe("Share of the instance in the monthly quota of the account, in GB.").optional(),
        billableGB: z.int().describe("Transfer beyond the quota, in GB.").optional(),
      })
      .describe("Network transfer.")
      .optional(),
    cpuPercent: figures("CPU use in percent. 100 is one core."),
    ioBlocksPerSecond: figures("Disk blocks read and written per second."),
    swapBlocksPerSecond: figures("Swapped blocks per second."),
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
      doc: "Usage of an instance in January 2026.",
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
      doc: "Usage of an instance in the past 24 hours, and the transfer of the current month. For newer figures, create a new object.",
      spec: { instanceRef: { name: "web-1" } },
      needs: [{ kind: "ComputeInstance", example: "web-1" }],
    },
  ],
});
