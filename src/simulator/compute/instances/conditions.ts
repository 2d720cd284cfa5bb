import type { RegionRow } from "../../catalog/tables.ts";
import { invalid } from "../../server/errors.ts";
import type { World } from "../../server/world.ts";
import type { ComputeTypeRow } from "../catalogs/tables.ts";
import { CONFIGS, DISKS } from "../tables.ts";

/** Throws 400 if the instance has a VLAN interface and the region does not support VLANs (part 2 section 2.5). */
export function requireVlansKept(world: World, account: string, instance: number, region: RegionRow): void {
  const configs = world.store.children(CONFIGS, account, instance);
  const hasVlan = configs.some((config) => config.interfaces.some(({ purpose }) => purpose === "vlan"));
  if (hasVlan && !region.capabilities.includes("Vlans"))
    throw invalid("region", `The instance has a VLAN and the region ${region.id} does not support VLANs`);
}

/** Returns the MB of the instance's disks, without the disks in `except`. */
export function allocated(world: World, account: string, instance: number, except: readonly number[] = []): number {
  const disks = world.store.children(DISKS, account, instance).filter((disk) => !except.includes(disk.id));
  return disks.reduce((sum, disk) => sum + disk.size, 0);
}

/** Throws 400 if the disks do not fit the type. The user must shrink or delete disks first. */
export function requireDisksFit(world: World, account: string, instance: number, type: ComputeTypeRow): void {
  const used = allocated(world, account, instance);
  if (used > type.disk)
    throw invalid("type", `The disks take ${used} MB and ${type.id} allows ${type.disk} MB: shrink or delete disks`);
}
