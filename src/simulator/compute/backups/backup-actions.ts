import type { Caller } from "../../server/auth/caller.ts";
import { timestamp } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import { instanceJob, settle, startInstanceAction } from "../actions/instance-action.ts";
import type { InstanceAction } from "../actions/instance-action.ts";
import { BACKUPS, CONFIGS, DISKS } from "../tables.ts";
import type { BackupRow, InstanceRow, InstanceStatus } from "../tables.ts";

/** Number of weekly backups to keep. The oldest is deleted first. The documents give no number. */
const AUTOMATIC_KEPT = 3;

/** Copies disks and configs. The instance keeps the status. */
const SNAPSHOT: InstanceAction = {
  name: "compute_snapshot",
  status: "running",
  seconds: 60,
  finish(world, account, instance, { backup: id, was }) {
    settle(world, account, instance, { status: was as InstanceStatus });
    const backup = world.store.get(BACKUPS, account, Number(id));
    if (!backup) return;
    const now = world.clock.now();
    const done = { status: "successful" as const, available: true, finished: now, updated: now };
    world.store.put(BACKUPS, account, { ...backup, ...done });
    removeReplaced(world, account, backup);
  },
};

/** Makes a weekly backup, without an event. */
const AUTOMATIC: InstanceAction = { ...SNAPSHOT, name: "compute_backup", event: null };

export const BACKUP_ACTIONS: readonly InstanceAction[] = [SNAPSHOT, AUTOMATIC];
export const BACKUP_ACTION_JOBS = BACKUP_ACTIONS.map(instanceJob);

/** Starts a backup of an idle instance. Returns the row of the backup. */
export function startBackup(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  { type, label, caller }: Pick<BackupRow, "type" | "label"> & { caller?: Caller },
): BackupRow {
  const now = world.clock.now();
  const action = type === "snapshot" ? SNAPSHOT : AUTOMATIC;
  const backup = world.store.put(BACKUPS, account, {
    id: world.store.nextId("backup", 4001),
    instance: instance.id,
    region: instance.region,
    label,
    type,
    status: "running",
    available: false,
    created: now,
    updated: now,
    endsAt: now + world.clock.duration(action.seconds),
    finished: null,
    disks: world.store.children(DISKS, account, instance.id),
    configs: world.store.children(CONFIGS, account, instance.id),
  });
  const payload = { backup: backup.id, was: instance.status };
  startInstanceAction(world, account, instance, action, {
    status: instance.status,
    payload,
    ...(caller && { caller }),
  });
  return backup;
}

/** Returns a backup in the form of the API (part 2 section 2.3). */
export function presentBackup(world: World, row: BackupRow): Record<string, unknown> {
  const status = phase(world, row);
  // In recorded traffic, a pending snapshot is available and empty.
  const isPending = status === "pending";
  return {
    available: row.available || isPending,
    configs: isPending ? [] : row.configs.map((config) => config.label),
    created: timestamp(row.created),
    disks: isPending ? [] : row.disks.map(({ filesystem, label, size }) => ({ filesystem, label, size })),
    finished: row.finished === null ? null : timestamp(row.finished),
    id: row.id,
    label: row.label,
    region: row.region,
    status,
    type: row.type,
    updated: timestamp(row.updated),
  };
}

/**
 * Returns the status that a backup shows. A running backup starts as pending and ends as needsPostProcessing
 * (not-shown section 3).
 */
function phase(world: World, { status, created, endsAt }: BackupRow): BackupRow["status"] {
  if (status !== "running") return status;
  const part = (world.clock.now() - created) / Math.max(1, endsAt - created);
  if (part < 0.1) return "pending";
  return part < 0.9 ? "running" : "needsPostProcessing";
}

/** Deletes the backups that a new backup replaces: the previous snapshot (part 2 section 4.2), or the oldest weekly backups. */
function removeReplaced(world: World, account: string, { id, instance, type }: BackupRow): void {
  const kept = type === "snapshot" ? 0 : AUTOMATIC_KEPT - 1;
  const others = world.store.children(BACKUPS, account, instance).filter((row) => row.type === type && row.id !== id);
  for (const row of others.slice(0, Math.max(0, others.length - kept))) world.store.remove(BACKUPS, account, row.id);
}
