import { invalid, refused } from "../errors.ts";
import type { Context } from "../operation.ts";
import { SHARED } from "../store.ts";
import { AVAILABILITY } from "../tables/catalog.ts";
import type { ComputeTypeRow, RegionRow } from "../tables/catalog.ts";
import { CONFIGS, DISKS } from "../tables/compute.ts";
import { ACCOUNTS } from "../tables/identity.ts";
import type { World } from "../world.ts";

/** 400 for an account with a negative balance (part 2 section 7). */
export function requireFunds({ world, account }: Context): void {
  const owner = world.store.get(ACCOUNTS, SHARED, account);
  if (owner && owner.balance < 0) throw refused("The account has a negative balance");
}

/** 400 for an account that has anything open, as a resize wants it (part 2 section 4.5 rule 4). */
export function requireNothingOutstanding(context: Context): void {
  requireFunds(context);
  const owner = context.world.store.get(ACCOUNTS, SHARED, context.account);
  if (owner && owner.balance > 0) throw refused("The account has an outstanding balance");
}

/** 400 where the region does not sell the type (part 2 section 4.8). */
export function requireSold(world: World, region: RegionRow, type: ComputeTypeRow): void {
  const offer = world.store.get(AVAILABILITY, SHARED, `${region.id} ${type.id}`);
  if (offer && !offer.available) throw invalid("type", `${type.id} is not available in ${region.id}`);
}

/** 400 if the instance has a VLAN and the region knows none (part 2 section 2.5). */
export function requireVlansKept(world: World, account: string, instance: number, region: RegionRow): void {
  const configs = world.store.children(CONFIGS, account, instance);
  const hasVlan = configs.some((config) => config.interfaces.some(({ purpose }) => purpose === "vlan"));
  if (hasVlan && !region.capabilities.includes("Vlans"))
    throw invalid("region", `The instance has a VLAN and the region ${region.id} does not support VLANs`);
}

/** MB that the instance's disks take, but for those that are named. */
export function allocated(world: World, account: string, instance: number, except: readonly number[] = []): number {
  const disks = world.store.children(DISKS, account, instance).filter((disk) => !except.includes(disk.id));
  return disks.reduce((sum, disk) => sum + disk.size, 0);
}

/** 400 if the instance's disks do not fit into the type: they are shrunk or deleted first. */
export function requireDisksFit(world: World, account: string, instance: number, type: ComputeTypeRow): void {
  const used = allocated(world, account, instance);
  if (used > type.disk)
    throw invalid("type", `The disks take ${used} MB and ${type.id} allows ${type.disk} MB: shrink or delete disks`);
}
