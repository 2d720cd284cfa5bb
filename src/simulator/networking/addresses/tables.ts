import type { Table } from "../../server/store/store.ts";

/** An address of an instance; IPv6 ranges have rows of their own kind. */
export interface AddressRow {
  readonly address: string;
  readonly type: "ipv4" | "ipv6";
  readonly public: boolean;
  /** Null for a reserved address that no instance has. */
  readonly instance: number | null;
  readonly region: string;
  readonly gateway: string | null;
  readonly prefix: number;
  readonly subnet_mask: string;
  /** Null: the default name that the platform provides. */
  readonly rdns: string | null;
  /** Instances that share it, besides the one it belongs to. */
  readonly sharedWith: readonly number[];
  /** A reserved address stays with the account when its instance is deleted. */
  readonly reserved?: boolean;
  /** Only reserved addresses have tags. */
  readonly tags?: readonly string[];
}

export const ADDRESSES: Table<AddressRow> = {
  name: "address",
  key: (row) => row.address,
  parent: (row) => row.instance,
  indexes: { sharedWith: (row) => row.sharedWith, tags: (row) => row.tags ?? [] },
};

/** An IPv6 range, routed to one instance. */
export interface IPv6RangeRow {
  /** Without the prefix length. */
  readonly range: string;
  readonly prefix: 56 | 64;
  readonly region: string;
  readonly instance: number;
  /** Instances that share it, besides the one it is routed to. */
  readonly sharedWith: readonly number[];
}

/** An IPv6 pool, routed to all instances of a region; no operation makes one. */
export interface IPv6PoolRow {
  readonly range: string;
  readonly prefix: number;
  readonly region: string;
}

export const IPV6_RANGES: Table<IPv6RangeRow> = {
  name: "ipv6-range",
  key: (row) => row.range,
  parent: (row) => row.instance,
  indexes: { sharedWith: (row) => row.sharedWith, region: (row) => row.region },
};
export const IPV6_POOLS: Table<IPv6PoolRow> = { name: "ipv6-pool", key: (row) => row.range };
