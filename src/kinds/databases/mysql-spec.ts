/** What a user may say of a MySQL database, and the rules over it. Part 1, section 2.3; not-shown, section 2. */
import * as z from "zod";
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
    frequency: z.enum(["weekly", "monthly"]).describe("How often patches may be applied."),
    dayOfWeek: z.int().min(1).max(7).describe("Day of the window; 1 is Monday."),
    hourOfDay: z.int().min(0).max(23).describe("Hour at which the window begins, UTC."),
    durationHours: z.int().min(1).max(3).describe("Length of the window in hours."),
    weekOfMonth: neededFor(["monthly"], z.int().min(1).max(4).describe("Week of the month.")),
  }),
  "frequency",
).describe(
  "When patches of the operating system may be applied; a single node is down meanwhile. The cloud chooses if not given.",
);

const engine = matching(
  z
    .string()
    .min(3)
    .max(64)
    .describe("Engine and version, such as mysql/8.0.30. Cannot be changed: an upgrade is a new database."),
  "^mysql/[A-Za-z0-9._-]+$",
  "must be a MySQL engine with its version, such as mysql/8.0.30",
);

const fields = z.object({
  label: asValue(z.string().min(3).max(32)).describe("Label in the API; the object's name if not given.").optional(),
  engine: immutable(from("DatabaseEngine", engine)),
  region: immutable(from("Region", z.string().min(1).max(64)).describe("Region, such as us-east. Cannot be changed.")),
  type: immutable(
    from("ComputeType", z.string().min(1).max(64)).describe(
      "Instance type of the nodes, such as g6-standard-1. Cannot be changed.",
    ),
  ),
  clusterSize: immutable(
    z.literal([1, 3]).describe("Nodes: 1 (the default), or 3 for high availability. Cannot be changed."),
    { absent: 1 },
  ).optional(),
  replicationType: immutable(
    z
      .enum(["none", "asynch", "semi_synch"])
      .describe("How nodes follow the primary: none for one node, one of the others for three. Cannot be changed."),
    { absent: "none" },
  ).optional(),
  encrypted: immutable(z.boolean().describe("Whether the disks are encrypted; not by default. Cannot be changed."), {
    absent: false,
  }).optional(),
  sslConnection: immutable(z.boolean().describe("Whether clients must use TLS; yes by default. Cannot be changed."), {
    absent: true,
  }).optional(),
  allowList: setOf(asValue(addressOrNetwork("An IP address or a network.")), 1000)
    .describe(
      "Who may connect: addresses and networks. An empty list is nobody, 0.0.0.0/0 is everybody. Not changed if neither allowList nor allowRefs is given, except that the operator removes the addresses of former allowRefs.",
    )
    .optional(),
  allowRefs: addressRefs(
    "Addresses of other objects that may connect, besides allowList. The list of the database follows them. An empty list means none.",
    200,
    0,
  ),
  maintenance: maintenance.optional(),
  connectionSecretName: secretName(
    "Name of the Secret for connection data; <name>-connection if not given. The short form of connectionSecret.name.",
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

/** The window as the API has it. */
export function windowBody({ frequency, dayOfWeek, hourOfDay, durationHours, weekOfMonth }: Maintenance): JsonObject {
  return {
    frequency,
    day_of_week: dayOfWeek,
    hour_of_day: hourOfDay,
    duration: durationHours,
    week_of_month: weekOfMonth ?? null,
  };
}
