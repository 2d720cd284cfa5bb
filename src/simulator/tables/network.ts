import type { Table } from "../store.ts";

/** An address of an instance; IPv6 ranges have rows of their own kind. */
export interface AddressRow {
  readonly address: string;
  readonly type: "ipv4" | "ipv6";
  readonly public: boolean;
  readonly instance: number;
  readonly region: string;
  readonly gateway: string | null;
  readonly prefix: number;
  readonly subnet_mask: string;
  /** Null: the default name that the platform provides. */
  readonly rdns: string | null;
  /** Instances that share it, besides the one it belongs to. */
  readonly sharedWith: readonly number[];
}

export const ADDRESSES: Table<AddressRow> = {
  name: "address",
  key: (row) => row.address,
  parent: (row) => row.instance,
};
