/*
 * Serves weekly backups and snapshots, and the restores and clones that copy disks.
 * Guarantees: a backup holds full copies, so a restore does not depend on the instance. Weekly backups follow the calendar.
 * Imports the areas that compute may import.
 */
import * as z from "zod";
import { permits } from "../../server/auth/auth.ts";
import { invalid, notFound, refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { rowOf } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { optional, text } from "../../server/wire.ts";
import { abandonAction, requireIdle, startInstanceAction } from "../actions/instance-action.ts";
import { removeContents } from "../actions/lifecycle.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import { instanceEntity } from "../instance-entity.ts";
import { instanceOperation } from "../instance-operation.ts";
import { allocated } from "../instances/conditions.ts";
import { BACKUPS, INSTANCES } from "../tables.ts";
import type { BackupRow, InstanceRow } from "../tables.ts";
import { BACKUP_ACTIONS, presentBackup, startBackup } from "./backup-actions.ts";
import { disableBackups, enableBackups } from "./backup-schedule.ts";
import { RESTORE, copyOnto } from "./restoration.ts";

const snapshotBody = z.object({ label: text(1, 255) });
const restoreBody = z.object({ compute_id: z.int(), overwrite: optional(z.boolean()) });

/** Serves the backups of an instance (part 2 section 4.2, not-shown section 3). */
export const backupOperations = [
  instanceOperation({
    method: "GET",
    path: "/backups",
    summary: "List the backups of an instance",
    handler({ world, account }, { id }) {
      const rows = world.store.children(BACKUPS, account, id);
      const snapshot = (done: boolean) =>
        rows.find((row) => row.type === "snapshot" && (row.finished !== null) === done);
      const shown = (row: BackupRow | undefined) => (row ? presentBackup(world, row) : null);
      return {
        automatic: rows.filter((row) => row.type === "automatic").map(shown),
        snapshot: { current: shown(snapshot(true)), in_progress: shown(snapshot(false)) },
      };
    },
  }),
  instanceOperation({
    method: "POST",
    path: "/backups",
    summary: "Take a snapshot, which replaces the previous one",
    body: snapshotBody,
    handler({ world, account, caller, body }, instance) {
      requireIdle(world, account, instance);
      const backup = startBackup(world, account, instance, { type: "snapshot", label: body.label, caller });
      return presentBackup(world, backup);
    },
  }),
  instanceOperation({
    method: "POST",
    path: "/backups/enable",
    summary: "Turn weekly backups on",
    handler(context, instance) {
      const { world, account } = context;
      if (instance.backups.enabled) return {};
      tell(context, "backups_enable", enableBackups(world, account, instance));
      return {};
    },
  }),
  instanceOperation({
    method: "POST",
    path: "/backups/cancel",
    summary: "Turn weekly backups off and delete every backup",
    handler(context, instance) {
      const { world, account } = context;
      const underWay = BACKUP_ACTIONS.some(({ name }) => name === instance.job?.name);
      const idle = underWay ? abandonAction(world, account, instance) : instance;
      for (const row of world.store.children(BACKUPS, account, instance.id))
        world.store.remove(BACKUPS, account, row.id);
      tell(context, "backups_cancel", disableBackups(world, account, idle));
      return {};
    },
  }),
  instanceOperation({
    method: "GET",
    path: "/backups/{backupId}",
    summary: "View a backup",
    handler: (context, instance) => presentBackup(context.world, backupOf(context, instance)),
  }),
  instanceOperation({
    method: "POST",
    path: "/backups/{backupId}/restore",
    summary: "Restore a backup to this or another instance",
    body: restoreBody,
    handler(context, instance) {
      const { world, account, caller, body } = context;
      const backup = backupOf(context, instance);
      const target = restoreTarget(context, backup);
      const { overwrite } = body;
      if (overwrite) removeContents(world, account, target.id);
      const room = typeNamed(world, target.type).disk - allocated(world, account, target.id);
      const fresh = overwrite ? { ...target, lastBootedConfig: null } : target;
      copyOnto(world, account, backup, { instance: target, room, field: "compute_id", status: "not ready" });
      const payload = { after: overwrite ? "offline" : target.status };
      startInstanceAction(world, account, fresh, RESTORE, { caller, payload });
      return {};
    },
  }),
];

function backupOf(context: Context, instance: Readonly<InstanceRow>): Readonly<BackupRow> {
  const backup = rowOf(context, BACKUPS, context.params["backupId"]);
  if (backup.instance !== instance.id) throw notFound();
  return backup;
}

/** Returns the instance to restore to. The instance must be idle, in the same region, and writable for the caller. */
function restoreTarget(
  { world, account, caller, body }: Context<z.output<typeof restoreBody>>,
  backup: Readonly<BackupRow>,
): Readonly<InstanceRow> {
  if (backup.status !== "successful") throw refused("Only a successful backup can be restored");
  const target = world.store.get(INSTANCES, account, body.compute_id);
  if (!target || !permits(caller, "compute", target.id, "read_write"))
    throw invalid("compute_id", "compute_id is not valid");
  if (target.region !== backup.region) throw invalid("compute_id", "A backup is restored in its own region");
  requireIdle(world, account, target);
  return target;
}

function tell({ world, account, caller }: Context, action: string, instance: Readonly<InstanceRow>): void {
  recordEvent(world, account, { action, entity: instanceEntity(instance), caller });
}
