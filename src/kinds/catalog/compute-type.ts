import * as z from "zod";
import { defineMirror } from "../../core/kind/mirror.ts";
import { optionalText } from "../text.ts";

const amount = z.string().max(32);
const price = z.object({
  hourly: amount.describe("Price per hour.").optional(),
  monthly: amount.describe("Price per month.").optional(),
});
const regionPrices = z
  .array(price.extend({ region: z.string().max(64).describe("Identifier of the region.") }))
  .max(256)
  .meta({ listType: "map", listMapKeys: ["region"] });

const wirePrice = z.object({ hourly: z.number().nullish(), monthly: z.number().nullish() });
const wirePrices = z.array(wirePrice.extend({ id: z.string() }));
const backups = z.object({ price: wirePrice.nullish(), region_prices: wirePrices.nullish() });

/** Types of instances, with sizes and prices: not-shown, section 3. */
export const computeType = defineMirror({
  kind: "ComputeType",
  plural: "computetypes",
  shortNames: ["cptypes", "cptype"],
  doc: "A type of instances and database nodes, with sizes and prices. Use `status.id` as `spec.type` of other kinds.",
  columns: [
    { name: "Label", jsonPath: ".status.label", priority: 1 },
    { name: "Class", jsonPath: ".status.typeClass" },
    { name: "CPUs", jsonPath: ".status.vcpus", type: "integer" },
    { name: "Memory MB", jsonPath: ".status.memoryMB", type: "integer" },
    { name: "Disk MB", jsonPath: ".status.diskMB", type: "integer" },
    { name: "GPUs", jsonPath: ".status.gpus", type: "integer", priority: 1 },
    { name: "Hourly", jsonPath: ".status.price.hourly" },
    { name: "Monthly", jsonPath: ".status.price.monthly" },
    { name: "Successor", jsonPath: ".status.successor", priority: 1 },
  ],
  status: z.object({
    label: optionalText(128, "Display name of the type."),
    typeClass: optionalText(32, "Class in the cloud API, such as standard or dedicated."),
    vcpus: z.int().describe("Number of virtual CPUs.").optional(),
    gpus: z.int().describe("Number of GPUs.").optional(),
    memoryMB: z.int().describe("RAM of an instance.").optional(),
    diskMB: z.int().describe("Disk space, in MB.").optional(),
    transferGB: z.int().describe("Network transfer per month, in GB.").optional(),
    networkOutMbps: z.int().describe("Outgoing bandwidth, in Mbit/s.").optional(),
    successor: optionalText(64, "Type that replaces a deprecated type in an upgrade."),
    price: price.describe("Price in regions without an entry in regionPrices.").optional(),
    regionPrices: regionPrices.describe("Regions with a different price.").optional(),
    priceOfBackups: price
      .describe("Additional price of backups, in regions without an entry in regionPricesOfBackups.")
      .optional(),
    regionPricesOfBackups: regionPrices.describe("Regions with a different price of backups.").optional(),
  }),
  path: "/compute/types",
  wire: z.object({
    id: z.string(),
    label: z.string().nullish(),
    class: z.string().nullish(),
    vcpus: z.int().nullish(),
    gpus: z.int().nullish(),
    memory: z.int().nullish(),
    disk: z.int().nullish(),
    transfer: z.int().nullish(),
    network_out: z.int().nullish(),
    successor: z.string().nullish(),
    price: wirePrice.nullish(),
    region_prices: wirePrices.nullish(),
    addons: z.object({ backups: backups.nullish() }).nullish(),
  }),
  report: ({ addons, ...wire }) => ({
    label: wire.label ?? undefined,
    typeClass: wire.class ?? undefined,
    vcpus: wire.vcpus ?? undefined,
    gpus: wire.gpus ?? undefined,
    memoryMB: wire.memory ?? undefined,
    diskMB: wire.disk ?? undefined,
    transferGB: wire.transfer ?? undefined,
    networkOutMbps: wire.network_out ?? undefined,
    successor: wire.successor ?? undefined,
    price: priceOf(wire.price),
    regionPrices: pricesOf(wire.region_prices),
    priceOfBackups: priceOf(addons?.backups?.price),
    regionPricesOfBackups: pricesOf(addons?.backups?.region_prices),
  }),
  example: {
    id: "g6-standard-1",
    label: "Compute 2GB",
    class: "standard",
    vcpus: 1,
    gpus: 0,
    memory: 2048,
    disk: 51200,
    transfer: 2000,
    network_out: 2000,
    successor: null,
    price: { hourly: 0.018, monthly: 12 },
    region_prices: [{ id: "ap-south", hourly: 0.02, monthly: 14.4 }],
    addons: { backups: { price: { hourly: 0.004, monthly: 2.5 }, region_prices: [] } },
  },
});

function priceOf(row: z.output<typeof wirePrice> | null | undefined): z.input<typeof price> | undefined {
  return row ? { hourly: textOf(row.hourly), monthly: textOf(row.monthly) } : undefined;
}

function pricesOf(rows: z.output<typeof wirePrices> | null | undefined): z.input<typeof regionPrices> | undefined {
  const sorted = rows?.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return sorted?.map(({ id, hourly, monthly }) => ({
    region: id,
    hourly: textOf(hourly),
    monthly: textOf(monthly),
  }));
}

/** Returns the amount as text, because Kubernetes objects should not contain fractions. The cloud API does not name a currency. */
function textOf(amount: number | null | undefined): string | undefined {
  return amount?.toString();
}
