import type { Table } from "../../server/store/store.ts";

export type Policy = "ACCEPT" | "DROP";

export interface FirewallRule {
  readonly action: Policy;
  readonly protocol: "TCP" | "UDP" | "ICMP" | "IPENCAP";
  readonly addresses: { readonly ipv4?: readonly string[]; readonly ipv6?: readonly string[] };
  /** Null: all ports. */
  readonly ports: string | null;
  readonly label?: string;
  readonly description?: string;
}

export interface FirewallRules {
  readonly inbound: readonly FirewallRule[];
  readonly inbound_policy: Policy;
  readonly outbound: readonly FirewallRule[];
  readonly outbound_policy: Policy;
}

/** A deleted firewall has no row: its third status is never seen. */
export interface FirewallRow {
  readonly id: number;
  readonly label: string;
  readonly status: "enabled" | "disabled";
  readonly tags: readonly string[];
  readonly rules: FirewallRules;
  readonly created: number;
  readonly updated: number;
}

/** The assignment of a firewall to an instance. */
export interface FirewallDeviceRow {
  readonly id: number;
  readonly firewall: number;
  readonly instance: number;
  readonly created: number;
  readonly updated: number;
}

export const FIREWALLS: Table<FirewallRow> = { name: "firewall", key: (row) => row.id };
export const FIREWALL_DEVICES: Table<FirewallDeviceRow> = {
  name: "firewall-device",
  key: (row) => row.id,
  parent: (row) => row.firewall,
};
