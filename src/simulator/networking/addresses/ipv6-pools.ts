import { rowList } from "../../server/lists/paging.ts";
import { operation } from "../../server/operation.ts";
import { DEMO_ACCOUNT, seedOf } from "../../server/seed.ts";
import { IPV6_POOLS } from "./tables.ts";
import type { IPv6PoolRow } from "./tables.ts";

/** Serves IPv6 pools. A pool is routed to all instances of the region. No operation creates a pool (part 3 section 2.3). */
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

/** Returns a pool in the form of the API. In recorded traffic, the target of a pool is the pool itself. */
function presentPool(row: IPv6PoolRow): Record<string, unknown> {
  return { ...row, route_target: `${row.range}/${row.prefix}` };
}

/** Pools of the demo account. Only one region has a pool. */
export const poolSeed = seedOf(
  IPV6_POOLS,
  [{ range: "2001:db8:aaaa::", prefix: 116, region: "us-east" }],
  DEMO_ACCOUNT,
);
