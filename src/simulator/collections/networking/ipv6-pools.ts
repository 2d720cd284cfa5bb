import { operation } from "../../operation.ts";
import { rowList } from "../../paging.ts";
import { IPV6_POOLS } from "../../tables/network.ts";

/** IPv6 pools of the account, each routed to all instances of its region; no operation makes one (part 3 section 2.3). */
export const ipv6PoolOperations = [
  operation({
    method: "GET",
    path: "/networking/ipv6/pools",
    summary: "List IPv6 pools",
    scopes: ["ips:read_only"],
    paged: { filterable: [] },
    handler: ({ world, account }) =>
      rowList(world.store.all(IPV6_POOLS, account), (row) => ({ ...row, route_target: null })),
  }),
];
