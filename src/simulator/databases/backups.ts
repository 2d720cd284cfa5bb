import * as z from "zod";
import { invalid, notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import { optional, text, timestamp } from "../server/wire.ts";
import { BACK_UP, backupsOf } from "./backup-jobs.ts";
import { requireStatus, startDatabaseAction } from "./database-action.ts";
import { databaseOperation } from "./database-operation.ts";
import { RESTORE_DATABASE } from "./lifecycle.ts";
import { DATABASE_BACKUPS } from "./tables.ts";
import type { DatabaseBackupRow, DatabaseRow } from "./tables.ts";

const one = "/backups/{backupId}";

/** Serves daily backups and snapshots of a database. Reads need the scope `read_write`, too (not-shown section 2). */
export const databaseBackupOperations: readonly Operation[] = [
  databaseOperation({
    method: "GET",
    below: "/backups",
    summary: "List backups",
    access: "read_only",
    scope: "read_write",
    paged: { filterable: ["id", "type", "label", "created"] },
    handler: ({ world, account }, database) => rowList(backupsOf(world, account, database.id), present),
  }),
  databaseOperation({
    method: "POST",
    below: "/backups",
    summary: "Make a snapshot; it is listed when it is complete",
    access: "read_write",
    body: z.object({ label: text(1, 30), target: optional(z.enum(["primary", "secondary"])) }),
    handler({ world, account, body }, database) {
      if (body.target === "secondary" && database.cluster_size === 1)
        throw invalid("target", "A single node has no secondary");
      requireStatus(database, "active");
      startDatabaseAction(world, account, database, BACK_UP, { payload: { type: "snapshot", label: body.label } });
      return {};
    },
  }),
  databaseOperation({
    method: "GET",
    below: one,
    summary: "View a backup",
    access: "read_only",
    scope: "read_write",
    handler: (context, database) => present(backupOf(context, database)),
  }),
  databaseOperation({
    method: "DELETE",
    below: one,
    summary: "Delete a backup",
    access: "read_write",
    handler(context, database) {
      context.world.store.remove(DATABASE_BACKUPS, context.account, backupOf(context, database).id);
      return {};
    },
  }),
  databaseOperation({
    method: "POST",
    below: `${one}/restore`,
    summary: "Put the database back to a backup",
    access: "read_write",
    handler(context, database) {
      const backup = backupOf(context, database);
      requireStatus(database, "active");
      startDatabaseAction(context.world, context.account, database, RESTORE_DATABASE, {
        payload: { backup: backup.id },
      });
      return {};
    },
  }),
];

function backupOf(context: Context, database: Readonly<DatabaseRow>): Readonly<DatabaseBackupRow> {
  const backup = rowOf(context, DATABASE_BACKUPS, context.params["backupId"]);
  if (backup.database !== database.id) throw notFound();
  return backup;
}

function present({ id, type, label, created }: DatabaseBackupRow): Record<string, unknown> {
  return { id, type, label, created: timestamp(created) };
}
