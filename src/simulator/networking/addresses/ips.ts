/*
 * Serves IPv4 addresses, IPv6 ranges and pools: allocation, assignment, sharing and reverse DNS.
 * Guarantees: an address belongs to one instance in the region of the address.
 * Imports the areas that networking may import.
 */
import { permits } from "../../server/auth/auth.ts";
import { canonical } from "../../server/ip-address.ts";
import { rowList } from "../../server/lists/paging.ts";
import { operation } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import type { Table } from "../../server/store/store.ts";
import { addressOf, mayUse } from "./named-addresses.ts";
import { presentAddress, presentPoolAddress, presentRangeAddress } from "./present-addresses.ts";
import { addressBody, allocateOrReserve, allocationBody, changeAddress } from "./reservation.ts";
import { ADDRESSES, IPV6_POOLS, IPV6_RANGES } from "./tables.ts";
import type { AddressRow, IPv6PoolRow, IPv6RangeRow } from "./tables.ts";

const path = "/networking/ips";
const one = `${path}/{address}`;

/** Serves IP addresses: list, allocate, view, reverse DNS (part 3 section 4.3). */
export const ipOperations = [
  operation({
    method: "GET",
    path,
    summary: "List IP addresses but for private ones",
    scopes: ["ips:read_only"],
    paged: { filterable: ["address", "prefix", "type", "rdns", "compute_id", "region", "reserved"] },
    handler(context) {
      const all = () => publicAddresses(context);
      const skips = context.query["skip_ipv6_rdns"] === "true";
      return rowList(all, (row) => present(context, row, skips), {
        address: (value) => oneOrNone(publicAddress(context, String(value))),
        compute_id: (value) => (value === null ? all() : publicAddresses(context, Number(value))),
      });
    },
  }),
  operation({
    method: "POST",
    path,
    summary: "Allocate an IPv4 address to an instance",
    scopes: ["ips:read_write", "compute:read_write"],
    body: allocationBody,
    handler: allocateOrReserve,
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View an IP address",
    scopes: ["ips:read_only"],
    handler: (context) => {
      const address = canonical(context.params["address"] ?? "");
      const block = blockOf(context, address);
      return present(context, block ?? addressOf(context, address, "read_only"), false);
    },
  }),
  operation({
    method: "PUT",
    path: one,
    summary: "Set or reset the reverse DNS of an address",
    scopes: ["ips:read_write"],
    body: addressBody,
    handler: (context) => changeAddress(context, addressOf(context, context.params["address"] ?? "", "read_write")),
  }),
];

type PublicRow = AddressRow | IPv6RangeRow | IPv6PoolRow;

/**
 * Returns public addresses, ranges and pools that the caller may read. `instance` limits the result to one instance,
 * without pools.
 */
function publicAddresses(context: Context, instance?: number): PublicRow[] {
  const { account } = context;
  const { store } = context.world;
  const rowsOf = <Row extends { instance: number | null }>(table: Table<Row>) => {
    const rows = instance === undefined ? store.all(table, account) : store.children(table, account, instance);
    return rows.filter((row) => mayUse(context.caller, row.instance, "read_only"));
  };
  const pools = instance === undefined ? store.all(IPV6_POOLS, account) : [];
  return [...rowsOf(ADDRESSES).filter((row) => row.public), ...rowsOf(IPV6_RANGES), ...pools];
}

function publicAddress(context: Context, text: string): PublicRow | undefined {
  const row = context.world.store.get(ADDRESSES, context.account, text);
  if (!row) return blockOf(context, text);
  return row.public && mayUse(context.caller, row.instance, "read_only") ? row : undefined;
}

function oneOrNone<Row>(row: Row | undefined): Row[] {
  return row === undefined ? [] : [row];
}

/** Returns the range or pool at this address. */
function blockOf({ world, account, caller }: Context, address: string): IPv6RangeRow | IPv6PoolRow | undefined {
  const range = world.store.get(IPV6_RANGES, account, address);
  if (range && permits(caller, "compute", range.instance, "read_only")) return range;
  return world.store.get(IPV6_POOLS, account, address);
}

function present({ world, account }: Context, row: PublicRow, skipsRdns: boolean): Record<string, unknown> {
  if (!("address" in row)) return "instance" in row ? presentRangeAddress(row) : presentPoolAddress(row);
  return presentAddress(world, account, skipsRdns && row.type === "ipv6" ? { ...row, rdns: null } : row);
}
