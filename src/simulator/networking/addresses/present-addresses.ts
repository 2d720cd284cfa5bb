import { instanceEntity } from "../../compute/instance-entity.ts";
import { INSTANCES } from "../../compute/tables.ts";
import { maskOf } from "../../server/ip-address.ts";
import type { World } from "../../server/world.ts";
import { defaultRdns } from "./allocation.ts";
import { ADDRESSES } from "./tables.ts";
import type { AddressRow, IPv6PoolRow, IPv6RangeRow } from "./tables.ts";

/** Newer fields of the service, with default values. No address belongs to a VPC. */
const NEWER = { interface_id: null, vpc_nat_1_1: null };

/** Returns an address in the form of the API (part 3 section 2.3). */
export function presentAddress(world: World, account: string, row: AddressRow): Record<string, unknown> {
  const { instance, sharedWith: _sharedWith, rdns, reserved = false, tags, ...shown } = row;
  const holder = row.type === "ipv4" && instance !== null ? world.store.get(INSTANCES, account, instance) : undefined;
  return {
    ...shown,
    compute_id: instance,
    rdns: rdns ?? platformRdns(row),
    ...NEWER,
    reserved,
    ...(reserved && { tags: tags ?? [] }),
    ...(row.type === "ipv4" && { assigned_entity: holder ? instanceEntity(holder) : null }),
  };
}

/** Returns a range in the form of the address list. */
export function presentRangeAddress(row: IPv6RangeRow): Record<string, unknown> {
  return { ...blockAddress(row), compute_id: row.instance, type: "ipv6/range" };
}

/** Returns a pool in the form of the address list. A pool does not belong to an instance. */
export function presentPoolAddress(row: IPv6PoolRow): Record<string, unknown> {
  return { ...blockAddress(row), compute_id: null, type: "ipv6/pool" };
}

/** Returns the link-local address of an instance, derived from the SLAAC address. */
export function presentLinkLocal(world: World, account: string, slaac: AddressRow): Record<string, unknown> {
  const low = slaac.address.split("::").at(-1) ?? "";
  const shown = presentAddress(world, account, { ...slaac, address: `fe80::${low}`, public: false });
  return { ...shown, rdns: null };
}

/**
 * Returns a range in the form of the API (not-shown section 4). A shared range has no target, because several instances
 * announce it.
 */
export function presentRange(world: World, account: string, row: IPv6RangeRow): Record<string, unknown> {
  const { range, prefix, region, instance, sharedWith } = row;
  const target = sharedWith.length > 0 ? null : slaacAddress(world, account, instance);
  return { range, prefix, region, route_target: target };
}

/** Returns the SLAAC address of an instance without the prefix length. */
export function slaacAddress(world: World, account: string, instance: number): string | null {
  const rows = world.store.children(ADDRESSES, account, instance);
  return rows.find((row) => row.type === "ipv6")?.address ?? null;
}

function platformRdns(row: AddressRow): string | null {
  return row.type === "ipv4" && row.public && row.instance !== null ? defaultRdns(row.address) : null;
}

function blockAddress({ range, prefix, region }: IPv6RangeRow | IPv6PoolRow): Record<string, unknown> {
  return {
    address: range,
    gateway: "fe80::1",
    prefix,
    public: true,
    rdns: null,
    region,
    reserved: false,
    subnet_mask: maskOf(prefix),
  };
}
