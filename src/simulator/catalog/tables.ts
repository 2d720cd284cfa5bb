import type { Table } from "../server/store/store.ts";

export interface RegionRow {
  readonly id: string;
  readonly label: string;
  readonly country: string;
  readonly capabilities: readonly string[];
  readonly status: "ok" | "outage";
  readonly resolvers: { readonly ipv4: string; readonly ipv6: string };
  /** A newer field of the service, as are `placement_group_limits` and `monitors`. */
  readonly site_type: "core";
  readonly placement_group_limits: Readonly<
    Record<"maximum_pgs_per_customer" | "maximum_computes_per_pg" | "maximum_computes_per_flexible_pg", number | null>
  >;
  readonly monitors: Readonly<Record<"alerts" | "metrics", readonly string[]>>;
}

/** Availability of a plan that only some regions sell. */
export interface AvailabilityRow {
  readonly region: string;
  readonly plan: string;
  readonly available: boolean;
}

export const REGIONS: Table<RegionRow> = { name: "region", key: (row) => row.id };

export const AVAILABILITY: Table<AvailabilityRow> = {
  name: "availability",
  key: (row) => `${row.region} ${row.plan}`,
  parent: (row) => row.region,
};
