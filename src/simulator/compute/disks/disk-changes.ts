import { endEvent, startEvent } from "../../server/events.ts";
import type { Entity } from "../../server/events.ts";
import type { Context } from "../../server/operation.ts";
import { timestamp } from "../../server/wire.ts";
import type { JobKind, World } from "../../server/world.ts";
import { instanceEntity } from "../instance-entity.ts";
import { CONFIGS, DISKS, INSTANCES } from "../tables.ts";
import type { ConfigRow, DiskRow, InstanceRow } from "../tables.ts";

/** A job on a disk: event, duration and effect. */
interface DiskChange {
  readonly action: string;
  readonly seconds: number;
  readonly status: DiskRow["status"];
  /** Fields of the disk at the end. `remove`: delete the disk. */
  readonly after: Partial<DiskRow> | "remove";
}

const CHANGE: JobKind = {
  name: "disk_change",
  run(world, account, { disk: id, event, after }) {
    const disk = world.store.get(DISKS, account, Number(id));
    if (!disk) return endEvent(world, account, Number(event), "failed");
    endEvent(world, account, Number(event), "finished");
    if (after === "remove") return removeDisk(world, account, disk);
    const ready = { ...disk, ...(after as Partial<DiskRow>), status: "ready" as const, updated: world.clock.now() };
    world.store.put(DISKS, account, ready);
  },
};

export const DISK_JOBS: readonly JobKind[] = [CHANGE];

/** Starts a job on a disk. The instance is busy until the job ends. Returns the disk with the transient status. */
export function changeDisk(
  { world, account, caller }: Context,
  instance: Readonly<InstanceRow>,
  disk: Readonly<DiskRow>,
  { action, seconds, status, after }: DiskChange,
): DiskRow {
  const ms = world.clock.duration(seconds);
  const about = { action, entity: instanceEntity(instance), secondary: diskEntity(disk), caller };
  const event = startEvent(world, account, about, ms);
  world.jobs.plan(CHANGE.name, account, ms, { disk: disk.id, event, after });
  return world.store.put(DISKS, account, { ...disk, status });
}

/** Returns true if the instance runs a config with this disk. */
export function isInUse(world: World, account: string, disk: Readonly<DiskRow>): boolean {
  const instance = world.store.get(INSTANCES, account, disk.instance);
  if (!instance || instance.status === "offline" || instance.lastBootedConfig === null) return false;
  const config = world.store.get(CONFIGS, account, instance.lastBootedConfig);
  return Object.values(config?.devices ?? {}).some((device) => device?.disk_id === disk.id);
}

/** Returns a disk in the form of the API (part 2 section 2.6). A disk is not ready while the instance is created or rebuilt. */
export function presentDisk(row: DiskRow, instance: Readonly<InstanceRow>): Record<string, unknown> {
  const { id, label, size, filesystem, created, updated } = row;
  const isWritten = ["provisioning", "rebuilding"].includes(instance.status);
  const status = isWritten && row.status === "ready" ? "not ready" : row.status;
  const times = { created: timestamp(created), updated: timestamp(updated) };
  return { id, label, size, filesystem, status, ...times, disk_encryption: "enabled" };
}

function removeDisk(world: World, account: string, disk: Readonly<DiskRow>): void {
  world.store.remove(DISKS, account, disk.id);
  for (const config of world.store.children(CONFIGS, account, disk.instance)) {
    const devices = without(config.devices, disk.id);
    if (Object.keys(devices).length < Object.keys(config.devices).length)
      world.store.put(CONFIGS, account, { ...config, devices });
  }
}

function without(devices: ConfigRow["devices"], disk: number): ConfigRow["devices"] {
  return Object.fromEntries(Object.entries(devices).filter(([, device]) => device?.disk_id !== disk));
}

/** Returns the disk as an entity of events. */
export function diskEntity({ id, label, instance }: Readonly<DiskRow>): Entity {
  return { id, label, type: "disk", url: `/v4/compute/instances/${instance}/disks/${id}` };
}
