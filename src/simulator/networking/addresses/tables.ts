import type { Table } from "../../server/store/store.ts";

/** An address of an instance. IPv6 ranges have a separate table. */
export interface AddressRow {
  readonly address: string;
  readonly type: "ipv4" | "ipv6";
  readonly public: boolean;
  /** Null for a reserved address without an instance. */
  readonly instance: number | null;
  readonly region: string;
  readonly gateway: string | null;
  readonly prefix: number;
  readonly subnet_mask: string;
  /** Null: the default name of the platform. */
  readonly rdns: string | null;
  /** Instances that share the address, without the owner. */
  readonly sharedWith: readonly number[];
  /** True: the account keeps the address after the deletion of the instance. */
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
  /** Instances that share the range. The owner can share, too. */
  readonly sharedWith: readonly number[];
}

/** An IPv6 pool, routed to all instances of a region. No operation creates a pool. */
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
