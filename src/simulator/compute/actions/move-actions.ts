import { moveAddresses } from "../../networking/addresses/allocation.ts";
import { releaseAddresses } from "../../networking/release.ts";
import { SHARED } from "../../server/store/store.ts";
import { uuidOf } from "../../server/uuid.ts";
import type { World } from "../../server/world.ts";
import { COMPUTE_TYPES } from "../catalogs/tables.ts";
import type { ComputeTypeRow } from "../catalogs/tables.ts";
import { allocated } from "../instances/conditions.ts";
import { DISKS, INSTANCES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";
import { instanceJob } from "./instance-action.ts";
import type { InstanceAction } from "./instance-action.ts";
import { startBoot } from "./lifecycle.ts";

/** The changes of a move. The job stores them as payload. */
export type Move = {
  readonly type?: string;
  readonly region?: string;
  /** True: grow the disk to the size that the new type allows. */
  readonly grow?: boolean;
  /** ID of the config to boot after the move. Null: the instance stays off. */
  readonly boot: number | null;
};

/** Moves an instance to another host, in this or another region. A running instance boots again (not-shown section 3). */
export const MIGRATE: InstanceAction = { name: "compute_migrate", status: "migrating", seconds: 120, finish: move };

export const MIGRATE_REGION = withAcceptance({ ...MIGRATE, name: "compute_migrate_datacenter" });

export const RESIZE = withAcceptance({ ...MIGRATE, name: "compute_resize", status: "resizing", seconds: 90 });

/** Moves an instance to the successor of a deprecated type (part 2 section 4.5 rule 1). */
export const UPGRADE = withAcceptance({ ...MIGRATE, name: "compute_mutate", seconds: 60 });

export const MOVE_JOBS = [MIGRATE, MIGRATE_REGION, RESIZE, UPGRADE].map(instanceJob);

/** Returns the config to boot after a move, or null if the instance does not run. */
export function bootAfterwards(instance: Readonly<InstanceRow>): number | null {
  return instance.status === "running" ? instance.lastBootedConfig : null;
}

function withAcceptance(action: InstanceAction): InstanceAction {
  return { ...action, accepted: `${action.name}_create` };
}

function move(world: World, account: string, instance: Readonly<InstanceRow>, payload: object): void {
  const { type, region, grow, boot } = payload as Move;
  let moved: InstanceRow = { ...instance, host_uuid: uuidOf(`host ${world.store.nextId("host", 100)}`) };
  if (type !== undefined) moved = { ...moved, type };
  const plan = world.store.get(COMPUTE_TYPES, SHARED, moved.type);
  if (grow && plan) growDisk(world, account, instance.id, plan);
  if (region !== undefined) {
    releaseAddresses(world, account, instance.id);
    moveAddresses(world, account, { instance: instance.id, region });
    moved = { ...moved, region };
  }
  moved = world.store.put(INSTANCES, account, { ...moved, status: "offline", updated: world.clock.now() });
  if (boot !== null) startBoot(world, account, moved, boot);
}

/** Grows the only ext3 or ext4 disk. With several, or with a raw disk, the choice would be ambiguous. */
function growDisk(world: World, account: string, instance: number, type: ComputeTypeRow): void {
  const [only, ...others] = world.store
    .children(DISKS, account, instance)
    .filter((disk) => disk.filesystem === "ext3" || disk.filesystem === "ext4");
  const unclear = world.store.children(DISKS, account, instance).some((disk) => disk.filesystem === "raw");
  if (!only || others.length > 0 || unclear) return;
  const size = type.disk - allocated(world, account, instance, [only.id]);
  if (size > only.size) world.store.put(DISKS, account, { ...only, size, updated: world.clock.now() });
}
