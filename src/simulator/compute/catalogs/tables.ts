import type { Table } from "../../server/store/store.ts";

export interface Price {
  readonly hourly: number | null;
  readonly monthly: number | null;
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

/** A deployment script. This version of the API has no operations on scripts. */
export interface StackScriptRow {
  readonly id: number;
  readonly label: string;
  readonly images: readonly string[];
  /** User-defined fields. Fields without a default are required. */
  readonly fields: readonly { readonly name: string; readonly default?: string }[];
}

export const COMPUTE_TYPES: Table<ComputeTypeRow> = { name: "type", key: (row) => row.id };
export const KERNELS: Table<KernelRow> = { name: "kernel", key: (row) => row.id };
export const STACK_SCRIPTS: Table<StackScriptRow> = { name: "stackscript", key: (row) => row.id };
