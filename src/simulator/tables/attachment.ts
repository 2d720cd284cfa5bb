import type { Table } from "../store.ts";

/** A block storage volume. The documents know them as attachments only: no operation makes one. */
export interface VolumeRow {
  readonly id: number;
  readonly label: string;
  readonly region: string;
  /** GiB. */
  readonly size: number;
  readonly status: "creating" | "active" | "resizing";
  readonly hardware_type: "hdd" | "nvme";
  readonly filesystem_path: string;
  readonly compute_id: number | null;
  readonly tags: readonly string[];
  readonly created: number;
  readonly updated: number;
}

/** A load balancer. The documents know them as attachments only: no operation makes one. */
export interface NodeBalancerRow {
  readonly id: number;
  readonly label: string;
  readonly region: string;
  readonly client_conn_throttle: number;
  readonly hostname: string;
  readonly ipv4: string;
  readonly ipv6: string | null;
  /** MB of this month. */
  readonly transfer: { readonly in: number | null; readonly out: number | null; readonly total: number | null };
  /** The instances that it balances over. */
  readonly computes: readonly number[];
  readonly tags: readonly string[];
  readonly created: number;
  readonly updated: number;
}

export const VOLUMES: Table<VolumeRow> = { name: "volume", key: (row) => row.id, parent: (row) => row.compute_id };
export const NODE_BALANCERS: Table<NodeBalancerRow> = { name: "nodebalancer", key: (row) => row.id };
