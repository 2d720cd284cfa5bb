/*
 * IPv4 addresses, IPv6 ranges and pools: allocated, assigned, shared, and their reverse DNS.
 * Guarantees: an address belongs to one instance, in its region.
 * Imports what networking may.
 */
import * as z from "zod";
import { isHostName } from "../../domains/names.ts";
import { permits, visible } from "../../server/auth/auth.ts";
import { invalid } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { canonical } from "../../server/ip-address.ts";
import { rowList } from "../../server/lists/paging.ts";
import { operation } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { allocate } from "./allocation.ts";
import { leadsTo } from "./forward-dns.ts";
import { addressOf, namedInstance } from "./named-addresses.ts";
import { presentAddress, presentPoolAddress, presentRangeAddress } from "./present-addresses.ts";
import { ADDRESSES, IPV6_POOLS, IPV6_RANGES } from "./tables.ts";
import type { AddressRow, IPv6PoolRow, IPv6RangeRow } from "./tables.ts";

const path = "/networking/ips";
const one = `${path}/{address}`;

/** IP addresses: list, allocate, view, reverse DNS (part 3 section 4.3). */
export const ipOperations = [
  operation({
    method: "GET",
    path,
    summary: "List IP addresses but for private ones",
    scopes: ["ips:read_only"],
    paged: { filterable: ["region"] },
    handler: (context) =>
      rowList(publicAddresses(context), (row) => present(row, context.query["skip_ipv6_rdns"] === "true")),
  }),
  operation({
    method: "POST",
    path,
    summary: "Allocate an IPv4 address to an instance",
    scopes: ["ips:read_write", "compute:read_write"],
    body: z.object({ type: z.literal("ipv4", "Must be ipv4"), public: z.boolean(), compute_id: z.int() }),
    handler(context) {
      const instance = namedInstance(context, context.body.compute_id, "compute_id");
      return presentAddress(allocate(context, instance, context.body.public));
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View an IP address",
    scopes: ["ips:read_only"],
    handler: (context) => {
      const address = canonical(context.params["address"] ?? "");
      const block = blockOf(context, address);
      return block ? present(block, false) : presentAddress(addressOf(context, address, "read_only"));
    },
  }),
  operation({
    method: "PUT",
    path: one,
    summary: "Set or reset the reverse DNS of an address",
    scopes: ["ips:read_write"],
    body: z.object({ rdns: z.string().nullable() }),
    handler(context) {
      const { world, account, caller } = context;
      const row = addressOf(context, context.params["address"] ?? "", "read_write");
      const { rdns } = context.body;
      if (rdns !== null) requireForward(context, row, rdns);
      const changed = world.store.put(ADDRESSES, account, { ...row, rdns });
      const url = `/v4/networking/ips/${row.address}`;
      const entity = { id: row.address, label: row.address, type: "ipaddress", url };
      recordEvent(world, account, { action: "ipaddress_update", entity, caller });
      return presentAddress(changed);
    },
  }),
];

function publicAddresses(context: Context): (AddressRow | IPv6RangeRow | IPv6PoolRow)[] {
  const { account } = context;
  const { store } = context.world;
  const seen = <Row extends { instance: number }>(rows: readonly Row[]) =>
    visible(context, "compute", rows, (row) => row.instance);
  const addresses = store.all(ADDRESSES, account).filter((row) => row.public);
  return [...seen(addresses), ...seen(store.all(IPV6_RANGES, account)), ...store.all(IPV6_POOLS, account)];
}

/** The range or pool that the list shows under this address. */
function blockOf({ world, account, caller }: Context, address: string): IPv6RangeRow | IPv6PoolRow | undefined {
  const range = world.store.get(IPV6_RANGES, account, address);
  if (range && permits(caller, "compute", range.instance, "read_only")) return range;
  return world.store.get(IPV6_POOLS, account, address);
}

function present(row: AddressRow | IPv6RangeRow | IPv6PoolRow, skipsRdns: boolean): Record<string, unknown> {
  if (!("address" in row)) return "instance" in row ? presentRangeAddress(row) : presentPoolAddress(row);
  return presentAddress(skipsRdns && row.type === "ipv6" ? { ...row, rdns: null } : row);
}

/** The name must lead to the address already (part 3 section 4.3 rule 3). */
function requireForward({ world }: Context, row: AddressRow, rdns: string): void {
  if (!row.public) throw invalid("rdns", "A private address has no reverse DNS");
  const name = rdns.replace(/\.$/, "");
  if (!isHostName(rdns)) throw invalid("rdns", "Must be a host name");
  if (!leadsTo(world, name, row.address))
    throw invalid("rdns", `Unable to look up ${name}: forward DNS must lead to ${row.address} already`);
}
