import { releaseIPv4 } from "../../networking/addresses/reservation.ts";
import { releaseInstance } from "../../networking/release.ts";
import type { Table } from "../../server/store/store.ts";
import type { World } from "../../server/world.ts";
import { configEntity } from "../instance-entity.ts";
import { BACKUPS, CONFIGS, DISKS, INSTANCES, NODE_BALANCERS, VOLUMES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";
import { instanceJob, settle, startInstanceAction } from "./instance-action.ts";
import type { InstanceAction, StartOptions } from "./instance-action.ts";
import { POWER_LOG } from "./power-log.ts";

/** Boots an instance. `finish` stores the config of the payload as the last booted config. */
export const BOOT: InstanceAction = {
  name: "compute_boot",
  status: "booting",
  seconds: 10,
  finish: (world, account, instance, { config }) =>
    settle(world, account, instance, { status: "running", lastBootedConfig: Number(config) }),
};

export const REBOOT: InstanceAction = { ...BOOT, name: "compute_reboot", status: "rebooting", seconds: 15 };

/** Boots an instance for the watchdog. */
export const WATCHDOG_BOOT: InstanceAction = { ...BOOT, name: "lassie_reboot" };

/** Starts a rescue system. The next boot needs a config again (part 2 section 4.5 rule 5). The event is a boot. */
export const RESCUE: InstanceAction = {
  name: "compute_rescue",
  event: BOOT.name,
  status: "rebooting",
  seconds: 15,
  finish: (world, account, instance) => settle(world, account, instance, { status: "running" }),
};

export const SHUTDOWN: InstanceAction = {
  name: "compute_shutdown",
  status: "shutting_down",
  seconds: 8,
  finish: (world, account, instance) => settle(world, account, instance, { status: "offline" }),
};

/**
 * Creates an instance. The status stays `provisioning` until the first boot is done (part 2 section 3), and becomes
 * `offline` without a boot.
 */
export const CREATE: InstanceAction = {
  name: "compute_create",
  status: "provisioning",
  seconds: 20,
  finish(world, account, { bootWhenMade, ...instance }, { config: planned }) {
    const config = bootWhenMade ?? planned;
    if (typeof config === "number") startBoot(world, account, instance, config, { status: "provisioning" });
    else settle(world, account, instance, { status: "offline" });
  },
};

/**
 * Rebuilds an instance. Disks and config are replaced at the start, and the action ends like `CREATE`
 * (part 2 section 4.5 rule 4).
 */
export const REBUILD: InstanceAction = {
  name: "compute_rebuild",
  status: "rebuilding",
  seconds: 40,
  finish(world, account, before, { config, type }) {
    const instance = typeof type === "string" ? world.store.put(INSTANCES, account, { ...before, type }) : before;
    if (typeof config === "number") startBoot(world, account, instance, config);
    else settle(world, account, instance, { status: "offline" });
  },
};

export const DELETE: InstanceAction = {
  name: "compute_delete",
  status: "deleting",
  seconds: 5,
  finish: removeInstance,
};

export const LIFECYCLE_JOBS = [BOOT, REBOOT, WATCHDOG_BOOT, RESCUE, SHUTDOWN, CREATE, REBUILD, DELETE].map(instanceJob);

/** Boots the instance with a config. The event names the config. */
export function startBoot(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  config: number,
  { action = BOOT, ...options }: BootOptions = {},
): InstanceRow {
  const row = world.store.get(CONFIGS, account, config);
  const secondary = row && configEntity(row);
  const payload = { config };
  return startInstanceAction(world, account, instance, action, {
    ...options,
    payload,
    ...(secondary && { secondary }),
  });
}

interface BootOptions extends Omit<StartOptions, "payload" | "secondary"> {
  /** Defaults to `BOOT`. */
  readonly action?: InstanceAction;
}

/**
 * Tables whose rows belong to an instance (`parent` is its ID). Deleting the instance deletes the rows
 * (part 2 section 4.1 rule 9).
 */
const OWNED: readonly Table<never>[] = [DISKS, CONFIGS, BACKUPS, POWER_LOG];

/** Deletes all disks and configs of an instance. */
export function removeContents(world: World, account: string, instance: number): void {
  for (const table of [DISKS, CONFIGS] as readonly Table<never>[]) removeOwned(world, account, instance, table);
}

function removeInstance(world: World, account: string, instance: Readonly<InstanceRow>): void {
  releaseInstance(world, account, instance);
  releaseIPv4(world, account, instance.id);
  for (const table of OWNED) removeOwned(world, account, instance.id, table);
  for (const volume of world.store.children(VOLUMES, account, instance.id))
    world.store.put(VOLUMES, account, { ...volume, compute_id: null });
  for (const balancer of world.store.all(NODE_BALANCERS, account)) {
    const computes = balancer.computes.filter((id) => id !== instance.id);
    if (computes.length < balancer.computes.length) world.store.put(NODE_BALANCERS, account, { ...balancer, computes });
  }
  world.store.remove(INSTANCES, account, instance.id);
}

function removeOwned(world: World, account: string, instance: number, table: Table<never>): void {
  for (const row of world.store.children(table, account, instance)) world.store.remove(table, account, table.key(row));
}
