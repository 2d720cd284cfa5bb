import { permits } from "../auth.ts";
import { defaultRdns } from "../compute/addresses.ts";
import { ApiError, invalid, notFound } from "../errors.ts";
import type { Context } from "../operation.ts";
import { INSTANCES } from "../tables/compute.ts";
import type { InstanceRow } from "../tables/compute.ts";
import { ADDRESSES, IPV6_RANGES } from "../tables/network.ts";
import type { AddressRow, IPv6PoolRow, IPv6RangeRow } from "../tables/network.ts";
import type { Permission } from "../tables/identity.ts";
import type { World } from "../world.ts";
import { canonical, maskOf } from "./networks.ts";

/** An address as the API shows it (part 3 section 2.3). */
export function presentAddress(row: AddressRow): Record<string, unknown> {
  const { instance, sharedWith: _sharedWith, rdns, ...shown } = row;
  return { ...shown, compute_id: instance, rdns: rdns ?? platformRdns(row) };
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
export function presentLinkLocal(slaac: AddressRow): Record<string, unknown> {
  const low = slaac.address.split("::").at(-1) ?? "";
  const shown = presentAddress({ ...slaac, address: `fe80::${low}`, public: false });
  return { ...shown, rdns: null };
}

/** A range in the lists of ranges (not-shown section 4). */
export function presentRange(world: World, account: string, row: IPv6RangeRow): Record<string, unknown> {
  const { range, prefix, region, instance } = row;
  return { range, prefix, region, route_target: slaacAddress(world, account, instance) };
}

/** The SLAAC address of an instance without its prefix length. */
export function slaacAddress(world: World, account: string, instance: number): string | null {
  const rows = world.store.children(ADDRESSES, account, instance);
  return rows.find((row) => row.type === "ipv6")?.address ?? null;
}

/** The address if the caller has this permission on its instance; 404 or 403. */
export function addressOf(context: Context, address: string, wanted: Permission): Readonly<AddressRow> {
  const row = context.world.store.get(ADDRESSES, context.account, canonical(address));
  if (!row || !permits(context.caller, "compute", row.instance, "read_only")) throw notFound();
  requireChangeable(context, row.instance, wanted);
  return row;
}

/** An instance that a body names: 400 that names the field, or 403 for one that the caller may not use so. */
export function namedInstance(
  context: Context,
  id: number,
  field: string,
  wanted: Permission = "read_write",
): Readonly<InstanceRow> {
  const row = context.world.store.get(INSTANCES, context.account, id);
  if (!row || !permits(context.caller, "compute", id, "read_only")) throw invalid(field, `There is no instance ${id}`);
  requireChangeable(context, id, wanted);
  return row;
}

/** What can be assigned and shared: an IPv4 address, or a range. */
export interface Movable {
  readonly instance: number;
  readonly sharedWith: readonly number[];
  /** Undefined for an IPv4 address. */
  readonly prefix: number | undefined;
  /** Replaces who has it, or who shares it. */
  put(fields: { instance?: number; sharedWith?: readonly number[] }): void;
}

/**
 * The IPv4 address or range (without prefix length) that a body names. 400 that names the field when the account has none
 * in the region, when the caller may not see it, and for a SLAAC address, which stays where it is.
 */
export function movableIn(context: Context, region: string, text: string, field: string): Movable {
  const { account } = context;
  const { store } = context.world;
  const address = canonical(text);
  const range = store.get(IPV6_RANGES, account, address);
  const row = range ?? store.get(ADDRESSES, account, address);
  if (!row || !permits(context.caller, "compute", row.instance, "read_only"))
    throw invalid(field, `There is no address ${text}`);
  if (row.region !== region) throw invalid(field, `${text} is not in ${region}`);
  if (!range && text.includes(":")) throw invalid(field, "A SLAAC address stays with its instance");
  const { instance, sharedWith } = row;
  const put: Movable["put"] = (fields) =>
    void (range
      ? store.patch(IPV6_RANGES, account, address, fields)
      : store.patch(ADDRESSES, account, address, fields));
  return { instance, sharedWith, prefix: range?.prefix, put };
}

/** 403 unless the caller has this permission on the instance. */
export function requireChangeable({ caller }: Context, instance: number, wanted: Permission): void {
  if (!permits(caller, "compute", instance, wanted))
    throw new ApiError(403, [{ reason: `Unauthorized: ${wanted} access to instance ${instance} is needed` }]);
}

function platformRdns(row: AddressRow): string | null {
  return row.type === "ipv4" && row.public ? defaultRdns(row.address) : null;
}

function blockAddress({ range, prefix, region }: IPv6RangeRow | IPv6PoolRow): Record<string, unknown> {
  return { address: range, gateway: "fe80::1", prefix, public: true, rdns: null, region, subnet_mask: maskOf(prefix) };
}
