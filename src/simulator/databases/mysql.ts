/*
 * Serves managed databases: engines, clusters, backups, credentials and maintenance.
 * Guarantees: only the newest job changes the status. Backups and windows follow the calendar at any time scale.
 * Imports server/, catalog, and the type rows of compute.
 */
import * as z from "zod";
import { endEvent, recordEvent, startEvent } from "../server/events.ts";
import { tableList } from "../server/lists/table-list.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import { optional, text } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { backupsOf } from "./backup-jobs.ts";
import { requireUniqueLabel } from "./create-mysql.ts";
import { requireStatus, startDatabaseAction } from "./database-action.ts";
import { databaseOperation } from "./database-operation.ts";
import { allowList, changedConfig, changedUpdates, engineConfig, updatesSchema } from "./fields.ts";
import { UPDATE_ALLOW_LIST } from "./lifecycle.ts";
import { PATCH, planMaintenance } from "./maintenance.ts";
import { databaseEntity, presentMySQL, presentOfAnyEngine } from "./present.ts";
import { DATABASES, DATABASE_BACKUPS } from "./tables.ts";
import type { DatabaseRow } from "./tables.ts";

const updateBody = z.object({
  label: optional(text(3, 32)),
  allow_list: allowList,
  engine_config: engineConfig,
  updates: updatesSchema,
});

/** Serves databases: lists, create, view, change, delete, patch (part 1 section 4.1, not-shown section 2). */
export const databaseOperations: readonly Operation[] = [
  list("/databases/instances", "List databases of all engines", presentOfAnyEngine),
  list("/databases/mysql/instances", "List MySQL databases", presentMySQL),
  databaseOperation({
    method: "GET",
    below: "",
    summary: "View a MySQL database",
    access: "read_only",
    handler: ({ world }, database) => presentMySQL(world, database),
  }),
  databaseOperation({
    method: "PUT",
    below: "",
    summary: "Change a MySQL database",
    access: "read_write",
    body: updateBody,
    handler: update,
  }),
  operation({
    method: "DELETE",
    path: "/databases/mysql/instances/{instanceId}",
    summary: "Delete a MySQL database with its backups; scopes do not matter, the user must be unrestricted",
    unrestricted: true,
    handler: remove,
  }),
  databaseOperation({
    method: "POST",
    below: "/patch",
    summary: "Apply security patches to the operating system now",
    access: "read_write",
    handler({ world, account }, database) {
      requireStatus(database, "active");
      startDatabaseAction(world, account, database, PATCH);
      return {};
    },
  }),
];

function list(path: string, summary: string, present: (world: World, row: DatabaseRow) => unknown): Operation {
  return operation({
    method: "GET",
    path,
    summary,
    scopes: ["databases:read_only"],
    paged: { filterable: ["label", "type", "engine", "version", "region", "status"] },
    handler: (context) => tableList(context, DATABASES, (row) => present(context.world, row), { category: "database" }),
  });
}

/**
 * Changes a database. A new allow list takes effect later. Until then, the status is `updating` and the database
 * refuses other changes.
 */
function update(context: Context<z.output<typeof updateBody>>, database: Readonly<DatabaseRow>): unknown {
  const { world, account, body, caller, now } = context;
  requireStatus(database, "active");
  const label = body.label ?? database.label;
  requireUniqueLabel(context, label, database.id);
  const stored = world.store.put(DATABASES, account, {
    ...database,
    label,
    allow_list: body.allow_list ?? database.allow_list,
    engine_config: changedConfig(database.engine_config ?? {}, body.engine_config),
    updates: body.updates ? changedUpdates(database.updates, body.updates) : database.updates,
    updated: now,
  });
  const changed = body.updates ? planMaintenance(world, account, stored) : stored;
  const same = changed.allow_list.join(" ") === database.allow_list.join(" ");
  // In recorded traffic, the event is finished immediately, and is not a notification. Clients wait for the finished event.
  const event = startEvent(world, account, { action: "database_update", entity: databaseEntity(changed), caller }, 0);
  endEvent(world, account, event, "finished");
  return presentMySQL(world, same ? changed : startDatabaseAction(world, account, changed, UPDATE_ALLOW_LIST));
}

function remove(context: Context): unknown {
  const { world, account, caller } = context;
  const database = rowOf(context, DATABASES, context.params["instanceId"]);
  requireStatus(database, "active", "failed", "degraded");
  for (const { id } of backupsOf(world, account, database.id)) world.store.remove(DATABASE_BACKUPS, account, id);
  world.store.remove(DATABASES, account, database.id);
  recordEvent(world, account, { action: "database_delete", entity: databaseEntity(database), caller });
  return {};
}
