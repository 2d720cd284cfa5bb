import type { Table } from "../../server/store/store.ts";

export type Policy = "ACCEPT" | "DROP";

export interface FirewallRule {
  readonly action: Policy;
  readonly protocol: "TCP" | "UDP" | "ICMP" | "IPENCAP";
  readonly addresses: { readonly ipv4?: readonly string[]; readonly ipv6?: readonly string[] };
  /** Absent: all ports. */
  readonly ports?: string;
  readonly label?: string;
  readonly description?: string;
}

/** The ID of a ruleset, a newer kind of rule. */
interface RulesetReference {
  readonly ruleset: number;
}

/** Null if a request sent null. */
type RuleList = readonly (FirewallRule | RulesetReference)[] | null;

export interface FirewallRules {
  readonly inbound: RuleList;
  readonly inbound_policy: Policy;
  readonly outbound: RuleList;
  readonly outbound_policy: Policy;
  /** Number of updates, including the first rules. Defaults to 1. */
  readonly version?: number;
}

/** A firewall. The documented status for deleted firewalls never appears, because a deleted firewall has no row. */
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

export const FIREWALLS: Table<FirewallRow> = {
  name: "firewall",
  key: (row) => row.id,
  indexes: { label: (row) => row.label, tags: (row) => row.tags },
};
export const FIREWALL_DEVICES: Table<FirewallDeviceRow> = {
  name: "firewall-device",
  key: (row) => row.id,
  parent: (row) => row.firewall,
  indexes: { instance: (row) => row.instance },
};
