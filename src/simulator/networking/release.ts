import type { InstanceRow } from "../tables/compute.ts";
import type { World } from "../world.ts";
import { releaseFirewalls } from "./firewalls.ts";

/** What networking forgets when an instance is deleted: its firewall devices. */
export function releaseInstance(world: World, account: string, instance: Readonly<InstanceRow>): void {
  releaseFirewalls(world, account, instance);
}
