import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { defineSurvey } from "../../core/kind/survey.ts";
import { counted, countOf, mostNamed } from "./inventory-rows.ts";
import { dollars } from "../../core/kind/monthly.ts";
import { priceList } from "../prices.ts";
import { optionalText } from "../text.ts";

const row = z.object({
  id: z.string().max(253).describe("Identifier in the API, for `spec.management.adopt.id`."),
  label: optionalText(128, "Label in the API, or the reverse DNS name of an address."),
  region: optionalText(128, "Region or cluster."),
  type: optionalText(128, "Type in the API's words, or the prefix length of a range."),
  monthly: optionalText(32, "Cost per month."),
});

const collection = z.object({
  name: z.string().max(32).describe("Name of the list, such as instances."),
  readable: z.boolean().describe("True if the token can read the list."),
  count: z.int().min(0).describe("Number of cloud objects in the list."),
  unmanaged: z.int().min(0).describe("Number of cloud objects that no object of the cluster manages."),
  rows: z
    .array(row)
    .max(mostNamed)
    .meta({ listType: "atomic" })
    .describe(`First ${mostNamed} cloud objects that no object of the cluster manages.`),
});

const costs =
  "Cost per month of instances with their backups, and of the nodes of databases, from the list of types. The cloud API shows no other prices.";

/** Inventory of an account: the lists of inventory-rows.ts, with prices (not-shown, section 3). */
export const inventory = defineSurvey({
  kind: "Inventory",
  plural: "inventories",
  shortNames: ["cpinv"],
  doc: "An inventory of an account. The status shows counts and the monthly cost of instances and databases. The status also lists the cloud objects that no object of the cluster manages, with identifiers for adoption. The operator reads the account once an hour by default, and changes nothing.",
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
      .describe("Minutes between two reads of the lists. Defaults to 60.")
      .optional(),
  }),
  status: z.object({
    count: z.int().min(0).describe("Number of cloud objects in all lists.").optional(),
    unmanaged: z.int().min(0).describe("Number of cloud objects that no object of the cluster manages.").optional(),
    monthly: z.string().max(32).describe(costs).optional(),
    unmanagedMonthly: optionalText(
      32,
      "Cost per month of instances and databases that no object of the cluster manages.",
    ),
    transferGB: z.int().min(0).describe("Outbound transfer of object storage in the current month, in GB.").optional(),
    lists: z
      .array(collection)
      .max(32)
      .meta({ listType: "map", listMapKeys: ["name"] })
      .describe("Counts for each list.")
      .optional(),
  }),
  surveys: {
    ...counted,
    types: { path: priceList },
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
      monthly: dollars(sum(costs.map(({ cost = 0 }) => cost))),
      unmanagedMonthly: dollars(sum(costs.map(({ cost = 0, managed }) => (managed ? 0 : cost)))),
      transferGB: gigabytes(surveyed.answers["transfer"]),
      lists: all.map(({ shown }) => shown),
    };
  },
  examples: [
    { name: "account", doc: "An inventory that the operator reads once a day.", spec: { everyMinutes: 1440 } },
  ],
});

function gigabytes(transfer: Json | undefined): number | undefined {
  const read = z.object({ used: z.number().min(0) }).safeParse(transfer);
  return read.success ? Math.floor(read.data.used / 1e9) : undefined;
}
