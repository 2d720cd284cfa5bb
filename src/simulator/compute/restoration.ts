import { permits } from "../auth.ts";
import { invalid } from "../errors.ts";
import type { Context } from "../operation.ts";
import type { ComputeTypeRow } from "../tables/catalog.ts";
import { BACKUPS } from "../tables/compute.ts";
import type { BackupRow, ConfigRow, InstanceRow } from "../tables/compute.ts";
import type { World } from "../world.ts";
import { newConfig, newDisk } from "./deployment.ts";

/** The successful backup that `backup_id` names, of an instance that the caller may read, or 400. */
export function usableBackup({ world, account, caller }: Context, id: number): Readonly<BackupRow> {
  const backup = world.store.get(BACKUPS, account, id);
  if (!backup || !permits(caller, "compute", backup.instance, "read_only"))
    throw invalid("backup_id", "backup_id is not valid");
  if (backup.status !== "successful" || !backup.available) throw invalid("backup_id", "The backup is not successful");
  return backup;
}

/**
 * Makes the backed-up disks and configs again on an instance, configs pointing at the new disks.
 * Answers the first config's id. 400 if the type's disk is too small.
 */
export function restoreBackup(
  world: World,
  account: string,
  backup: BackupRow,
  instance: InstanceRow,
  type: ComputeTypeRow,
): number | undefined {
  const size = backup.disks.reduce((sum, disk) => sum + disk.size, 0);
  if (size > type.disk) throw invalid("type", `The backup needs ${size} MB of disk`);
  const newIds = new Map(backup.disks.map((disk) => [disk.id, newDisk(world, account, instance.id, disk).id]));
  const configs = backup.configs.map((config) =>
    newConfig(world, account, instance.id, { ...config, devices: remapped(config.devices, newIds) }),
  );
  return configs[0]?.id;
}

function remapped(devices: ConfigRow["devices"], newIds: ReadonlyMap<number, number>): ConfigRow["devices"] {
  const entries = Object.entries(devices).map(([slot, device]) => {
    if (!device || device.disk_id === null) return [slot, device] as const;
    return [slot, { ...device, disk_id: newIds.get(device.disk_id) ?? null }] as const;
  });
  return Object.fromEntries(entries);
}
