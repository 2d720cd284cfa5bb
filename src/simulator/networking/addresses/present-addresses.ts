import { instanceEntity } from "../../compute/instance-entity.ts";
import { INSTANCES } from "../../compute/tables.ts";
import { maskOf } from "../../server/ip-address.ts";
import type { World } from "../../server/world.ts";
import { defaultRdns } from "./allocation.ts";
import { ADDRESSES } from "./tables.ts";
import type { AddressRow, IPv6PoolRow, IPv6RangeRow } from "./tables.ts";

/** What a younger service shows of every address: none is part of a network of its own. */
const NEWER = { interface_id: null, vpc_nat_1_1: null };

/** An address as the API shows it (part 3 section 2.3). */
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

/** A range in the list of addresses. */
export function presentRangeAddress(row: IPv6RangeRow): Record<string, unknown> {
  return { ...blockAddress(row), compute_id: row.instance, type: "ipv6/range" };
}

/** A pool in the list of addresses; it belongs to no single instance. */
export function presentPoolAddress(row: IPv6PoolRow): Record<string, unknown> {
  return { ...blockAddress(row), compute_id: null, type: "ipv6/pool" };
}

/** The link-local address of an instance, which follows from its SLAAC address and is kept nowhere. */
export function presentLinkLocal(world: World, account: string, slaac: AddressRow): Record<string, unknown> {
  const low = slaac.address.split("::").at(-1) ?? "";
  const shown = presentAddress(world, account, { ...slaac, address: `fe80::${low}`, public: false });
  return { ...shown, rdns: null };
}

/** A range in the lists of ranges (not-shown section 4). One that is shared is announced by its instances: no target is shown. */
export function presentRange(world: World, account: string, row: IPv6RangeRow): Record<string, unknown> {
  const { range, prefix, region, instance, sharedWith } = row;
  const target = sharedWith.length > 0 ? null : slaacAddress(world, account, instance);
  return { range, prefix, region, route_target: target };
}

/** The SLAAC address of an instance without its prefix length. */
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
