import { permits } from "../../server/auth/auth.ts";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import type { World } from "../../server/world.ts";
import { instanceJob, settle } from "../actions/instance-action.ts";
import type { InstanceAction } from "../actions/instance-action.ts";
import { newConfig, newDisk } from "../instances/deployment.ts";
import { BACKUPS, DISKS } from "../tables.ts";
import type { BackupRow, ConfigRow, DiskRow, InstanceRow, InstanceStatus } from "../tables.ts";

/** The copies are there from the start and become ready at its end. */
export const RESTORE: InstanceAction = {
  name: "backups_restore",
  status: "restoring",
  seconds: 60,
  finish: endCopy,
};

/** Of an instance that is copied. */
export const CLONE: InstanceAction = { name: "compute_clone", status: "cloning", seconds: 60, finish: endCopy };

/** Of the one that it is copied to: it is off meanwhile, and what happens is told of the other. */
export const RECEIVE_CLONE: InstanceAction = {
  ...CLONE,
  name: "compute_receive_clone",
  event: null,
  status: "offline",
};

export const COPY_JOBS = [RESTORE, CLONE, RECEIVE_CLONE].map(instanceJob);

/** The successful backup that `backup_id` names, of an instance that the caller may read, or 400. */
export function usableBackup({ world, account, caller }: Context, id: number): Readonly<BackupRow> {
  const backup = world.store.get(BACKUPS, account, id);
  if (!backup || !permits(caller, "compute", backup.instance, "read_only"))
    throw invalid("backup_id", "backup_id is not valid");
  if (backup.status !== "successful" || !backup.available) throw invalid("backup_id", "The backup is not successful");
  return backup;
}

/** Disks and configs to make again on an instance. */
interface Originals {
  readonly disks: readonly DiskRow[];
  readonly configs: readonly ConfigRow[];
}

interface Target {
  readonly instance: Readonly<InstanceRow>;
  /** MB that the copies may take, and the field of the request to blame if they take more. */
  readonly room: number;
  readonly field: string;
  /** Default `ready`. */
  readonly status?: DiskRow["status"];
}

/**
 * Makes disks and configs again on an instance, configs pointing at the new disks.
 * Answers the first config's id. 400 if there is too little room.
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

/** Volumes stay where they are. */
function remapped(devices: ConfigRow["devices"], newIds: ReadonlyMap<number, number>): ConfigRow["devices"] {
  const entries = Object.entries(devices).map(([slot, device]) => {
    const disk_id = device?.disk_id ? newIds.get(device.disk_id) : undefined;
    return [slot, disk_id === undefined ? null : { disk_id, volume_id: null }] as const;
  });
  return Object.fromEntries(entries);
}
