import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { defineSurvey } from "../../core/kind/survey.ts";
import { counted, countOf, mostNamed } from "./inventory-rows.ts";
import { optionalText } from "../text.ts";

const row = z.object({
  id: z.string().max(253).describe("Identifier in the API, for `spec.management.adopt.id`."),
  label: optionalText(128, "Its name; of an address, the reverse name."),
  region: optionalText(128, "Region or cluster."),
  type: optionalText(128, "Type in the API's words; of a range, its prefix."),
  monthly: optionalText(32, "What it costs a month."),
});

const collection = z.object({
  name: z.string().max(32).describe("What is counted, such as instances."),
  readable: z.boolean().describe("The token may read the list."),
  count: z.int().min(0).describe("How many there are."),
  unmanaged: z.int().min(0).describe("How many of them no object of this cluster manages."),
  rows: z
    .array(row)
    .max(mostNamed)
    .meta({ listType: "atomic" })
    .describe(`Those that no object manages, the first ${mostNamed}.`),
});

const costs =
  "What instances cost a month, with backups. The cloud API tells no price of anything else, such as databases.";

/** What an account holds: the lists of inventory-rows.ts, prices by not-shown, section 3. */
export const inventory = defineSurvey({
  kind: "Inventory",
  plural: "inventories",
  shortNames: ["cpinv"],
  doc: "What exists in an account, and what of it no object of this cluster manages: counts, the names to adopt it by, and what instances cost a month. It is read once an hour, and changes nothing.",
  columns: [
    { name: "Count", jsonPath: ".status.count", type: "integer" },
    { name: "Unmanaged", jsonPath: ".status.unmanaged", type: "integer" },
    { name: "Monthly", jsonPath: ".status.monthly", description: costs },
    { name: "Unmanaged monthly", jsonPath: ".status.unmanagedMonthly", description: costs, priority: 1 },
    { name: "Read", jsonPath: ".status.readAt", type: "date" },
  ],
  spec: z.object({
    everyMinutes: z
      .int()
      .min(5)
      .max(1440)
      .describe("How often the lists are read, minutes; 60 if not given.")
      .optional(),
  }),
  status: z.object({
    count: z.int().min(0).describe("How many there are, in all lists.").optional(),
    unmanaged: z.int().min(0).describe("How many of them no object of this cluster manages.").optional(),
    monthly: z.string().max(32).describe(costs).optional(),
    unmanagedMonthly: optionalText(32, "…and those that no object manages."),
    transferGB: z.int().min(0).describe("Outbound transfer of object storage in this month, GB.").optional(),
    collections: z
      .array(collection)
      .max(32)
      .meta({ listType: "map", listMapKeys: ["name"] })
      .describe("Each list by itself.")
      .optional(),
  }),
  surveys: {
    ...counted,
    types: { path: "/compute/types" },
    transfer: { path: "/object-storage/transfer", single: true },
  },
  everyMs: ({ everyMinutes = 60 }) => everyMinutes * 60_000,
  summary: (surveyed) => {
    const all = Object.keys(counted).map((name) => countOf(name, surveyed));
    const sum = (figures: number[]): number => figures.reduce((total, one) => total + one, 0);
    const costs = all.flatMap((list) => list.costs);
    return {
      count: sum(all.map(({ shown }) => shown.count)),
      unmanaged: sum(all.map(({ shown }) => shown.unmanaged)),
      monthly: sum(costs.map(({ cost = 0 }) => cost)).toFixed(2),
      unmanagedMonthly: sum(costs.map(({ cost = 0, managed }) => (managed ? 0 : cost))).toFixed(2),
      transferGB: gigabytes(surveyed.answers["transfer"]),
      collections: all.map(({ shown }) => shown),
    };
  },
  examples: [{ name: "account", doc: "What the account holds, read once a day.", spec: { everyMinutes: 1440 } }],
});

function gigabytes(transfer: Json | undefined): number | undefined {
  const read = z.object({ used: z.number().min(0) }).safeParse(transfer);
  return read.success ? Math.floor(read.data.used / 1e9) : undefined;
}
