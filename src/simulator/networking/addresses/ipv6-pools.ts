import { rowList } from "../../server/lists/paging.ts";
import { operation } from "../../server/operation.ts";
import { DEMO_ACCOUNT, seedOf } from "../../server/seed.ts";
import { IPV6_POOLS } from "./tables.ts";
import type { IPv6PoolRow } from "./tables.ts";

/** IPv6 pools of the account, each routed to all instances of its region; no operation makes one (part 3 section 2.3). */
export const ipv6PoolOperations = [
  operation({
    method: "GET",
    path: "/networking/ipv6/pools",
    summary: "List IPv6 pools",
    scopes: ["ips:read_only"],
    paged: { filterable: ["region"] },
    handler: ({ world, account }) => rowList(world.store.all(IPV6_POOLS, account), presentPool),
  }),
];

/** As recorded, a pool is its own target: all instances of the region have its addresses. */
function presentPool(row: IPv6PoolRow): Record<string, unknown> {
  return { ...row, route_target: `${row.range}/${row.prefix}` };
}

/** The pools that the demo account has: in one region, so that there are regions without. */
export const poolSeed = seedOf(
  IPV6_POOLS,
  [{ range: "2001:db8:aaaa::", prefix: 116, region: "us-east" }],
  DEMO_ACCOUNT,
);
