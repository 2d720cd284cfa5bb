import { permits } from "../../server/auth/auth.ts";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import type { World } from "../../server/world.ts";
import { instanceJob, settle } from "../actions/instance-action.ts";
import type { InstanceAction } from "../actions/instance-action.ts";
import { newConfig, newDisk } from "../instances/deployment.ts";
import { BACKUPS, DISKS } from "../tables.ts";
import type { BackupRow, ConfigRow, DiskRow, InstanceRow, InstanceStatus } from "../tables.ts";

/** Restores a backup. The copies exist from the start and become ready at the end. */
export const RESTORE: InstanceAction = {
  name: "backups_restore",
  status: "restoring",
  seconds: 60,
  finish: endCopy,
};

/** The action on the source of a clone. */
export const CLONE: InstanceAction = { name: "compute_clone", status: "cloning", seconds: 60, finish: endCopy };

/** The action on the target of a clone. The target stays off. Only the source has an event. */
export const RECEIVE_CLONE: InstanceAction = {
  ...CLONE,
  name: "compute_receive_clone",
  event: null,
  status: "offline",
};

export const COPY_JOBS = [RESTORE, CLONE, RECEIVE_CLONE].map(instanceJob);

/** Returns the successful backup with this ID, of an instance that the caller may read. Throws 400 that names `backup_id`. */
export function usableBackup({ world, account, caller }: Context, id: number): Readonly<BackupRow> {
  const backup = world.store.get(BACKUPS, account, id);
  if (!backup || !permits(caller, "compute", backup.instance, "read_only"))
    throw invalid("backup_id", "backup_id is not valid");
  if (backup.status !== "successful" || !backup.available) throw invalid("backup_id", "The backup is not successful");
  return backup;
}

/** Disks and configs to copy to an instance. */
interface Originals {
  readonly disks: readonly DiskRow[];
  readonly configs: readonly ConfigRow[];
}

interface Target {
  readonly instance: Readonly<InstanceRow>;
  /** MB available for the copies, and the request field to name if the copies need more. */
  readonly room: number;
  readonly field: string;
  /** Defaults to `ready`. */
  readonly status?: DiskRow["status"];
}

/**
 * Copies disks and configs to an instance. The new configs refer to the new disks.
 * Returns the ID of the first config. Throws 400 if the room is too small.
 */
export function copyOnto(world: World, account: string, originals: Originals, target: Target): number | undefined {
  const { instance, room, field, status = "ready" } = target;
  const now = world.clock.now();
  const size = originals.disks.reduce((sum, disk) => sum + disk.size, 0);
  if (size > room) throw invalid(field, `The copy needs ${size} MB of disk and there are ${Math.max(0, room)} MB`);
  const fresh = { status, created: now, updated: now };
  const newIds = new Map(
    originals.disks.map((disk) => [disk.id, newDisk(world, account, instance.id, { ...disk, ...fresh }).id]),
  );
  const configs = originals.configs.map((config) => {
    const devices = remapped(config.devices, newIds);
    return newConfig(world, account, instance.id, { ...config, devices, created: now, updated: now });
  });
  return configs[0]?.id;
}

function endCopy(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  { after }: Readonly<Record<string, unknown>>,
): void {
  for (const disk of world.store.children(DISKS, account, instance.id))
    if (disk.status === "not ready") world.store.put(DISKS, account, { ...disk, status: "ready" });
  settle(world, account, instance, { status: after as InstanceStatus });
}

/** Returns devices that refer to the new disks. The copy gets no volumes. */
function remapped(devices: ConfigRow["devices"], newIds: ReadonlyMap<number, number>): ConfigRow["devices"] {
  const entries = Object.entries(devices).map(([slot, device]) => {
    const disk_id = device?.disk_id ? newIds.get(device.disk_id) : undefined;
    return [slot, disk_id === undefined ? null : { disk_id, volume_id: null }] as const;
  });
  return Object.fromEntries(entries);
}
