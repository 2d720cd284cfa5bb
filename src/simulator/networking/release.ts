import type { InstanceRow } from "../compute/tables.ts";
import type { World } from "../server/world.ts";
import { ADDRESSES, IPV6_RANGES } from "./addresses/tables.ts";
import { releaseFirewalls } from "./firewalls/assignment.ts";

/** Removes a deleted instance from networking: firewall devices, ranges and shares. */
export function releaseInstance(world: World, account: string, instance: Readonly<InstanceRow>): void {
  releaseFirewalls(world, account, instance);
  releaseAddresses(world, account, instance.id);
}

/** Deletes the ranges of an instance and the shares with it. Both depend on the region. */
export function releaseAddresses(world: World, account: string, instance: number): void {
  for (const row of world.store.children(IPV6_RANGES, account, instance))
    world.store.remove(IPV6_RANGES, account, row.range);
  withdrawShares(world, account, instance);
}

/** Removes an instance from all shares. */
export function withdrawShares({ store }: World, account: string, instance: number): void {
  const without = (ids: readonly number[]) => ids.filter((id) => id !== instance);
  for (const row of store.find(ADDRESSES, account, "sharedWith", instance))
    store.put(ADDRESSES, account, { ...row, sharedWith: without(row.sharedWith) });
  for (const row of store.find(IPV6_RANGES, account, "sharedWith", instance))
    store.put(IPV6_RANGES, account, { ...row, sharedWith: without(row.sharedWith) });
}
