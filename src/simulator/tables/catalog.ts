import type { Table } from "../store.ts";

export interface Price {
  readonly hourly: number | null;
  readonly monthly: number | null;
}

export interface RegionRow {
  readonly id: string;
  readonly label: string;
  readonly country: string;
  readonly capabilities: readonly string[];
  readonly status: "ok" | "outage";
  readonly resolvers: { readonly ipv4: string; readonly ipv6: string };
}

export interface ComputeTypeRow {
  readonly id: string;
  readonly label: string;
  readonly class: "nanode" | "standard" | "dedicated" | "premium" | "gpu" | "highmem";
  readonly disk: number;
  readonly memory: number;
  readonly vcpus: number;
  readonly gpus: number;
  readonly transfer: number;
  readonly network_out: number;
  readonly successor: string | null;
  readonly price: Price;
  readonly region_prices: readonly (Price & { readonly id: string })[];
  readonly addons: {
    readonly backups: { readonly price: Price; readonly region_prices: readonly (Price & { readonly id: string })[] };
  };
}

export interface KernelRow {
  readonly id: string;
  readonly label: string;
  readonly version: string;
  readonly architecture: "x86_64" | "i386";
  readonly built: string;
  readonly deprecated: boolean;
  readonly kvm: boolean;
  readonly pvops: boolean;
}

export interface EngineRow {
  readonly id: string;
  readonly engine: string;
  readonly version: string;
}

export interface ObjectStorageClusterRow {
  readonly id: string;
  readonly domain: string;
  readonly region: string;
  readonly status: "available" | "unavailable";
  readonly static_site_domain: string;
}

export interface BetaRow {
  readonly id: string;
  readonly label: string;
  readonly description: string | null;
  readonly greenlight_only: boolean;
  readonly started: string;
  readonly ended: string | null;
  readonly more_info: string | null;
  /** Enrollments that are accepted in all; null: any number. */
  readonly places: number | null;
}

/** A plan that is sold in select regions only. */
export interface AvailabilityRow {
  readonly region: string;
  readonly plan: string;
  readonly available: boolean;
}

/** A deployment script; the API of this version has no operations on it. */
export interface StackScriptRow {
  readonly id: number;
  readonly label: string;
  readonly images: readonly string[];
  /** User-defined fields; those without a default are required. */
  readonly fields: readonly { readonly name: string; readonly default?: string }[];
}

export const REGIONS: Table<RegionRow> = { name: "region", key: (row) => row.id };
export const COMPUTE_TYPES: Table<ComputeTypeRow> = { name: "type", key: (row) => row.id };
export const KERNELS: Table<KernelRow> = { name: "kernel", key: (row) => row.id };
export const ENGINES: Table<EngineRow> = { name: "engine", key: (row) => row.id };
export const OBJECT_STORAGE_CLUSTERS: Table<ObjectStorageClusterRow> = {
  name: "object-storage-cluster",
  key: (row) => row.id,
};
export const BETAS: Table<BetaRow> = { name: "beta", key: (row) => row.id };
export const AVAILABILITY: Table<AvailabilityRow> = {
  name: "availability",
  key: (row) => `${row.region} ${row.plan}`,
  parent: (row) => row.region,
};
export const STACK_SCRIPTS: Table<StackScriptRow> = { name: "stackscript", key: (row) => row.id };
