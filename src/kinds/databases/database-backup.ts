import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { Readiness } from "../../core/kind/call.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { immutable, ownName, referenceTo } from "../../core/kind/schema.ts";
import { nameFits } from "../label.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

/**
 * Manual backups of a database: not-shown, section 2. Automatic backups have no owner.
 * Creation: by label, with proof before a second request. The response contains no ID, and the list shows only complete backups.
 */
export const databaseBackup = defineOwned({
  kind: "DatabaseBackup",
  plural: "databasebackups",
  shortNames: ["cpdbbak"],
  doc: "A manual backup of a ManagedMySQL. To restore the backup, create a DatabaseAction. Deleting the object deletes the backup.",
  columns: [
    { name: "Database", jsonPath: ".spec.databaseRef.name" },
    { name: "Type", jsonPath: ".status.type" },
    { name: "Created", jsonPath: ".status.created", type: "date" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: z.object({
    databaseRef: immutable(referenceTo("ManagedMySQL")),
    label: immutable(asValue(z.string().min(1).max(30)), { absent: ownName })
      .describe("Label in the API. Defaults to the name of the object. Cannot be changed.")
      .optional(),
    target: immutable(z.enum(["primary", "secondary"]), { absent: "primary" })
      .describe(
        "Node that the cloud backs up. Defaults to primary. A database with one node has no secondary. Cannot be changed.",
      )
      .optional(),
  }),
  status: z.object({
    type: optionalText(32, "Type in the cloud API, such as snapshot."),
    created: optionalTime("Creation time in the cloud."),
  }),
  wire: z.object({
    id: whole(),
    label: z.string(),
    type: z.string().nullish(),
    created: z.string().nullish(),
  }),
  admission: [nameFits({ min: 1, max: 30 })],
  references: { databaseRef: { kind: "ManagedMySQL", from: (of) => of.databaseRef, contained: true } },
  reach: "own",
  listPath: ({ refs }) => `/databases/mysql/instances/${refs.databaseRef.id}/backups`,
  fields: {
    label: { desired: ({ spec, name }) => spec.label ?? name, observed: (wire) => wire.label, key: true, fixed: true },
    // The operator does not send the type. An automatic backup can have the same label, and must not match.
    type: { desired: () => "snapshot", observed: (wire) => wire.type ?? undefined, fixed: true, on: "update" },
    target: { desired: ({ spec }) => spec.target, on: "create" },
  },
  unique: "none",
  billable: true,
  answersNothing: true,
  createdField: "created",
  creatable: ({ refs }) => readiness(refs.databaseRef),
  report: ({ wire }) => ({ type: wire.type ?? undefined, created: rfc3339(wire.created) }),
  holdsData: true,
  loses: "the backup",
  examples: [
    {
      name: "before-upgrade",
      doc: "A backup before a risky change.",
      spec: { databaseRef: { name: "shop-db" } },
      needs: [{ kind: "ManagedMySQL", example: "shop-db" }],
    },
    {
      name: "from-replica",
      doc: "A backup of a replica, which does not slow down the primary.",
      spec: { databaseRef: { name: "shop-db-ha" }, label: "weekly", target: "secondary" },
      needs: [{ kind: "ManagedMySQL", example: "shop-db-ha" }],
    },
  ],
});

/** The cloud API backs up a database that is active, one backup at a time. */
function readiness({ name, status }: Resolved): Readiness {
  const { state } = status ?? {};
  if (typeof state !== "string" || state === "active") return { ready: true };
  const message = `ManagedMySQL ${name} is ${state.replaceAll("_", " ")}; a backup can be made once it is active`;
  return { ready: false, reason: "WaitingForReference", message };
}
