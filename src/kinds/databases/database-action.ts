import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { defineOnce } from "../../core/kind/once.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { belonging, neededFor, needsNotAfter } from "../../core/kind/rules.ts";
import { referenceTo } from "../../core/kind/schema.ts";
import type { NamedReference } from "../../core/kind/schema.ts";
import { managedMySQL } from "./managed-mysql.ts";
import { databaseActionExamples } from "./database-action-examples.ts";
import { optionalText } from "../text.ts";

const fields = z.object({
  databaseRef: referenceTo("ManagedMySQL"),
  action: z
    .enum(["Restore", "ResetCredentials", "Patch"])
    .describe(
      "Restore replaces the data by a backup: all later writes are lost. ResetCredentials creates a new password, and the operator updates the connection Secret of the ManagedMySQL. The old password becomes invalid immediately, because the cloud keeps one password. Patch applies pending security updates.",
    ),
  backupRef: neededFor(
    ["Restore"],
    referenceTo("DatabaseBackup", undefined, { within: { field: "databaseRef", list: "backups" } }).describe(
      "Backup of the same database: a DatabaseBackup, or the id of a backup without custom resource.",
    ),
  ),
});

const spec = belonging(fields, "action");

/** Actions on a database: not-shown, section 2. */
export const databaseAction = defineOnce({
  kind: "DatabaseAction",
  plural: "databaseactions",
  shortNames: ["cpdbact"],
  noun: "MySQL database",
  doc: "An action on a ManagedMySQL that runs once. To repeat the action, create a new object.",
  columns: [
    { name: "Action", jsonPath: ".spec.action" },
    { name: "Database", jsonPath: ".spec.databaseRef.name" },
    { name: "State", jsonPath: ".status.state", priority: 1 },
  ],
  spec,
  status: z.object({ state: optionalText(32, "State of the database in the cloud API.") }),
  wire: managedMySQL.wire as z.ZodObject<{ id: z.ZodNumber; status: z.ZodString }>,
  admission: [needsNotAfter(["Restore", "ResetCredentials"])],
  references: {
    databaseRef: { kind: "ManagedMySQL", from: ({ databaseRef: ref }) => ref, contained: true },
    backupRef: { kind: "DatabaseBackup", from: ({ backupRef: ref }) => ref, creationOnly: true },
  },
  reach: "own",
  listPath: () => "/databases/mysql/instances",
  eventEntity: "database",
  createdField: "created",
  target: ({ refs }) => refs.databaseRef.id,
  details: ({ id, spec: { action }, wire: { status } }) =>
    action === "ResetCredentials" && status === "active"
      ? { credentials: { path: `/databases/mysql/instances/${id}/credentials`, needs: ["username", "password"] } }
      : {},
  ready: ({ wire: { status } }) =>
    status === "active"
      ? { ready: true }
      : {
          ready: false,
          reason: "Busy",
          message: `the cloud API reports that the database is ${status.replaceAll("_", " ")}`,
          busy: true,
          afterMs: 15_000,
        },
  request: ({ spec: { action, databaseRef: of }, refs: { backupRef: backup }, id, details, digest }) => {
    refuseStranger({ of, id }, backup);
    return requestOf(action, id, { backupID: backup?.id, details, digest });
  },
  // The cloud API shows the new password after a delay, and the previous password before.
  made: ({ spec: { action }, id, run, applied, details, digest }) => {
    if (action !== "ResetCredentials") return run?.accepted ? { id } : undefined;
    const before = applied?.["password"];
    return before === undefined || before === mark(details, digest) ? undefined : { id };
  },
  report: ({ wire: { status } }) => ({ state: status }),
  examples: databaseActionExamples,
});

/** Refuses a backup of a different database. Backup ids are unique only in a database, and a name can change its database. */
function refuseStranger({ of: database, id }: { of: NamedReference; id: string }, backup: Resolved | undefined): void {
  const { name, spec: of = {}, list } = backup ?? {};
  if (name === undefined) return;
  const isMadeOf = list === undefined || list === `/databases/mysql/instances/${id}/backups`;
  if (isDeepStrictEqual(of["databaseRef"], database) && isMadeOf) return;
  throw new Invalid(
    "spec.backupRef.name",
    `DatabaseBackup ${name} is of another database than spec.databaseRef names, ${id}. The operator restores nothing. Create a DatabaseAction for the database of the backup`,
  );
}

type Details = Record<string, Json | undefined> | undefined;
type Digest = (value: string) => string;

interface Particulars {
  backupID: string | undefined;
  details: Details;
  digest: Digest;
}

function requestOf(
  action: "Restore" | "ResetCredentials" | "Patch",
  id: string,
  { backupID, details, digest }: Particulars,
): Call {
  const path = `/databases/mysql/instances/${id}`;
  const call = { method: "POST", action, note: `${action} of database ${id}`, destructive: true } as const;
  switch (action) {
    case "Restore":
      return {
        ...call,
        path: `${path}/backups/${backupID}/restore`,
        note: `${call.note} from backup ${backupID}`,
        pathFrom: "backupRef",
      };
    case "ResetCredentials":
      return { ...call, path: `${path}/credentials/reset`, applies: { password: mark(details, digest) } };
    case "Patch":
      return { ...call, path: `${path}/patch` };
  }
}

const credentials = z.object({ password: z.string() });

/** Returns a digest of the password. The digest shows a change, and no part of the password. */
function mark(details: Details, digest: Digest): string {
  const { password } = credentials.parse(details?.["credentials"]);
  return digest(password);
}
