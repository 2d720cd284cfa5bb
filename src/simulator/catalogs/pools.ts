import type { IPv6PoolRow } from "../tables/network.ts";

/** The pools that the demo account has: in one region, so that there are regions without. */
export const pools: readonly IPv6PoolRow[] = [{ range: "2001:db8:aaaa::", prefix: 116, region: "us-east" }];
