/** Fields and rules of a MySQL database. Part 1, section 2.3; not-shown, section 2. */
import * as z from "zod";
import { whole } from "../wire.ts";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { JsonObject } from "../../api/types.ts";
import { belonging, neededFor } from "../../core/kind/rules.ts";
import { from, immutable, matching, rule, setOf } from "../../core/kind/schema.ts";
import { addressRefs } from "../networking/address-ref.ts";
import { addressOrNetwork } from "../networking/address.ts";
import { publishedForm, secretName } from "../../core/kind/published.ts";
import { connectionKeys } from "./connection-secret.ts";

const maintenance = belonging(
  z.object({
    frequency: z.enum(["weekly", "monthly"]).describe("Interval at which the cloud may apply patches."),
    dayOfWeek: z.int().min(1).max(7).describe("Day of the window. 1 is Monday."),
    hourOfDay: z.int().min(0).max(23).describe("Start of the window, in UTC."),
    durationHours: z.int().min(1).max(3).describe("Length of the window in hours."),
    weekOfMonth: neededFor(["monthly"], z.int().min(1).max(4).describe("Week of the window in the month.")),
  }),
  "frequency",
  "",
).describe(
  "Window in which the cloud may apply patches of the operating system. A database with one node is down during a patch. Defaults to a window that the cloud chooses.",
);

const engine = matching(
  z
    .string()
    .min(3)
    .max(64)
    .describe("Engine and version, such as mysql/8.0.30. Cannot be changed: an upgrade needs a new database."),
  "^mysql/[A-Za-z0-9._-]+$",
  "must be a MySQL engine with its version, such as mysql/8.0.30",
);

const fields = z.object({
  label: asValue(z.string().min(3).max(32))
    .describe("Label in the API. Defaults to the name of the object.")
    .optional(),
  engine: immutable(from("DatabaseEngine", engine)),
  region: immutable(from("Region", z.string().min(1).max(64)).describe("Region, such as us-east. Cannot be changed.")),
  type: immutable(
    from("ComputeType", z.string().min(1).max(64)).describe(
      "Instance type of the nodes, such as g6-standard-1. Cannot be changed.",
    ),
  ),
  clusterSize: immutable(
    z.literal([1, 3]).describe("Number of nodes. Defaults to 1. 3 nodes give high availability. Cannot be changed."),
    { absent: 1 },
  ).optional(),
  replicationType: immutable(
    z
      .enum(["none", "asynch", "semi_synch"])
      .describe(
        "Replication from the primary: none for one node, asynch or semi_synch for three nodes. Cannot be changed.",
      ),
    { absent: "none" },
  ).optional(),
  encrypted: immutable(
    z.boolean().describe("Whether the cloud encrypts the disks. Defaults to false. Cannot be changed."),
    {
      absent: false,
    },
  ).optional(),
  sslConnection: immutable(z.boolean().describe("Whether clients must use TLS. Defaults to true. Cannot be changed."), {
    absent: true,
  }).optional(),
  allowList: setOf(asValue(addressOrNetwork("An IP address or a network.")), 1000)
    .describe(
      "Addresses and networks that may connect. With allowRefs, the complete list. An empty list permits no client, 0.0.0.0/0 permits every client. If absent, the operator keeps the entries of the cloud, and adds and removes only the addresses of allowRefs. A new database then permits only these.",
    )
    .optional(),
  allowRefs: addressRefs(
    "Addresses of other objects that may connect, in addition to allowList. If an address changes, the operator updates the list of the database. An empty list permits no further client, and removes the addresses of former entries. If absent, allowList is the complete list. If both lists are absent, the operator does not manage the list: the cloud keeps its entries.",
    200,
    0,
  ),
  maintenance: maintenance.optional(),
  connectionSecretName: secretName(
    "Name of the Secret for connection data. Defaults to <name>-connection. Short form of connectionSecret.name.",
  ).optional(),
  connectionSecret: publishedForm(connectionKeys, "<name>-connection").optional(),
});

export const mysqlSpec = rule(fields, {
  cel: "!has(self.replicationType) || (self.replicationType == 'none') == (!has(self.clusterSize) || self.clusterSize == 1)",
  check: ({ replicationType, clusterSize = 1 }) =>
    replicationType === undefined || (replicationType === "none") === (clusterSize === 1),
  message: "replicationType must be none for one node, and asynch or semi_synch for three (clusterSize)",
});

type Maintenance = z.output<typeof maintenance>;

const textOrNull = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const wholeOrNull = whole()
  .nullish()
  .transform((value) => value ?? null);

/** The window in a row. Absent members are null. */
export const windowWire = z.object({
  frequency: textOrNull,
  day_of_week: wholeOrNull,
  hour_of_day: wholeOrNull,
  duration: wholeOrNull,
  week_of_month: wholeOrNull,
});

/** Returns the window in the form of the cloud API. */
export function windowBody({ frequency, dayOfWeek, hourOfDay, durationHours, weekOfMonth }: Maintenance): JsonObject {
  return {
    frequency,
    day_of_week: dayOfWeek,
    hour_of_day: hourOfDay,
    duration: durationHours,
    week_of_month: weekOfMonth ?? null,
  };
}
