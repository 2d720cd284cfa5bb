import { seedOf } from "../../server/seed.ts";
import { COMPUTE_TYPES } from "./tables.ts";
import type { ComputeTypeRow, Price } from "./tables.ts";

/** Compute types with their prices; `g5-standard-1` is deprecated and names its successor. */
export const computeTypeSeed = seedOf(COMPUTE_TYPES, [
  type("g6-nanode-1", "Nanode 1GB", "nanode", {
    disk: 25,
    memory: 1,
    vcpus: 1,
    transfer: 1000,
    network: 1000,
    monthly: 5,
  }),
  type("g6-standard-1", "Compute 2GB", "standard", {
    disk: 50,
    memory: 2,
    vcpus: 1,
    transfer: 2000,
    network: 2000,
    monthly: 12,
  }),
  type("g6-standard-2", "Compute 4GB", "standard", {
    disk: 80,
    memory: 4,
    vcpus: 2,
    transfer: 4000,
    network: 4000,
    monthly: 24,
  }),
  type("g6-standard-4", "Compute 8GB", "standard", {
    disk: 160,
    memory: 8,
    vcpus: 4,
    transfer: 5000,
    network: 5000,
    monthly: 48,
  }),
  type("g6-standard-6", "Compute 16GB", "standard", {
    disk: 320,
    memory: 16,
    vcpus: 6,
    transfer: 8000,
    network: 6000,
    monthly: 96,
  }),
  type("g6-dedicated-2", "Dedicated 4GB", "dedicated", {
    disk: 80,
    memory: 4,
    vcpus: 2,
    transfer: 4000,
    network: 4000,
    monthly: 36,
  }),
  type("g6-dedicated-4", "Dedicated 8GB", "dedicated", {
    disk: 160,
    memory: 8,
    vcpus: 4,
    transfer: 5000,
    network: 5000,
    monthly: 72,
  }),
  type("g7-highmem-1", "High Memory 24GB", "highmem", {
    disk: 20,
    memory: 24,
    vcpus: 2,
    transfer: 5000,
    network: 5000,
    monthly: 60,
  }),
  type("g7-premium-2", "Premium 4GB", "premium", {
    disk: 80,
    memory: 4,
    vcpus: 2,
    transfer: 4000,
    network: 4000,
    monthly: 43,
  }),
  type("g1-gpu-rtx6000-1", "Dedicated 32GB + RTX6000 GPU x1", "gpu", {
    disk: 640,
    memory: 32,
    vcpus: 8,
    gpus: 1,
    transfer: 16_000,
    network: 10_000,
    monthly: 1000,
  }),
  {
    ...type("g5-standard-1", "Compute 2GB (previous)", "standard", {
      disk: 30,
      memory: 2,
      vcpus: 1,
      transfer: 2000,
      network: 125,
      monthly: 12,
    }),
    successor: "g6-standard-1",
  },
]);

interface Size {
  /** Gigabytes. */
  disk: number;
  memory: number;
  vcpus: number;
  gpus?: number;
  transfer: number;
  /** Mbit/s. */
  network: number;
  /** US dollars. */
  monthly: number;
}

function type(id: string, label: string, kind: ComputeTypeRow["class"], size: Size): ComputeTypeRow {
  return {
    id,
    label,
    class: kind,
    disk: size.disk * 1024,
    memory: size.memory * 1024,
    vcpus: size.vcpus,
    gpus: size.gpus ?? 0,
    transfer: size.transfer,
    network_out: size.network,
    successor: null,
    ...prices(size.monthly),
    addons: { backups: prices(size.monthly * 0.25) },
  };
}

/** One price everywhere, but for the region that is dearer. */
function prices(monthly: number): Pick<ComputeTypeRow, "price" | "region_prices"> {
  return { price: price(monthly), region_prices: [{ id: "ap-southeast", ...price(monthly * 1.2) }] };
}

function price(monthly: number): Price {
  return { hourly: Number((monthly / 667).toFixed(4)), monthly: Number(monthly.toFixed(2)) };
}
