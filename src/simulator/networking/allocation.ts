import { allocatePrivate, allocatePublic } from "../compute/addresses.ts";
import { instanceEntity } from "../compute/instance-actions.ts";
import { refused } from "../errors.ts";
import { recordEvent } from "../events.ts";
import type { Context } from "../operation.ts";
import type { InstanceRow } from "../tables/compute.ts";
import { ADDRESSES } from "../tables/network.ts";
import type { AddressRow } from "../tables/network.ts";

/** Public addresses of one instance; more of them want to be asked for in a conversation with the support. */
const MAX_PUBLIC = 16;

/** Gives an instance one more IPv4 address, if it is configured for more (part 3 section 4.3). */
export function allocate(context: Context, instance: Readonly<InstanceRow>, isPublic: boolean): AddressRow {
  const { world, account, caller } = context;
  const held = ipv4Rows(context, instance.id).filter((row) => row.public === isPublic);
  if (!isPublic && held.length > 0) throw refused("An instance has at most one private IPv4 address");
  if (held.length >= MAX_PUBLIC)
    throw refused("Additional IPv4 addresses require technical justification; please contact support");
  const place = { instance: instance.id, region: instance.region };
  const row = isPublic ? allocatePublic(world, account, place) : allocatePrivate(world, account, place);
  recordEvent(world, account, { action: "compute_addip", entity: instanceEntity(instance), caller });
  return row;
}

/** The IPv4 addresses of an instance, oldest first. */
export function ipv4Rows({ world, account }: Context, instance: number): Readonly<AddressRow>[] {
  return world.store.children(ADDRESSES, account, instance).filter((row) => row.type === "ipv4");
}
