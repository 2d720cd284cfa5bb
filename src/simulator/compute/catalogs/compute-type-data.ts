import { seedOf } from "../../server/seed.ts";
import { COMPUTE_TYPES } from "./tables.ts";
import type { ComputeTypeRow, Price } from "./tables.ts";

/** ID, label, disk and memory in GB, cores, transfer in GB, Mbit/s, US dollars a month. */
type Line = readonly [string, string, number, number, number, number, number, number];

const STANDARD: readonly Line[] = [
  ["g6-standard-1", "Compute 2GB", 50, 2, 1, 2000, 2000, 12],
  ["g6-standard-2", "Compute 4GB", 80, 4, 2, 4000, 4000, 24],
  ["g6-standard-4", "Compute 8GB", 160, 8, 4, 5000, 5000, 48],
  ["g6-standard-6", "Compute 16GB", 320, 16, 6, 8000, 6000, 96],
  ["g6-standard-8", "Compute 32GB", 640, 32, 8, 16_000, 7000, 192],
  ["g6-standard-16", "Compute 64GB", 1280, 64, 16, 20_000, 9000, 384],
  ["g6-standard-20", "Compute 96GB", 1920, 96, 20, 20_000, 10_000, 576],
];
const DEDICATED: readonly Line[] = [
  ["g6-dedicated-2", "Dedicated 4GB", 80, 4, 2, 4000, 4000, 36],
  ["g6-dedicated-4", "Dedicated 8GB", 160, 8, 4, 5000, 5000, 72],
  ["g6-dedicated-8", "Dedicated 16GB", 320, 16, 8, 6000, 6000, 144],
  ["g6-dedicated-16", "Dedicated 32GB", 640, 32, 16, 7000, 7000, 288],
];
const HIGH_MEMORY: readonly Line[] = [
  ["g7-highmem-1", "High Memory 24GB", 20, 24, 2, 5000, 5000, 60],
  ["g7-highmem-2", "High Memory 48GB", 40, 48, 2, 6000, 6000, 120],
  ["g7-highmem-4", "High Memory 90GB", 90, 90, 4, 7000, 7000, 240],
];
const PREMIUM: readonly Line[] = [
  ["g7-premium-2", "Premium 4GB", 80, 4, 2, 4000, 4000, 43],
  ["g7-premium-4", "Premium 8GB", 160, 8, 4, 5000, 5000, 86],
  ["g7-premium-8", "Premium 16GB", 320, 16, 8, 6000, 6000, 173],
  ["g7-premium-16", "Premium 32GB", 640, 32, 16, 7000, 7000, 346],
];
const GPU: readonly Line[] = [
  ["g1-gpu-rtx6000-1", "Dedicated 32GB + RTX6000 GPU x1", 640, 32, 8, 16_000, 10_000, 1000],
  ["g1-gpu-rtx6000-2", "Dedicated 64GB + RTX6000 GPU x2", 1280, 64, 16, 20_000, 10_000, 2000],
  ["g1-gpu-rtx6000-3", "Dedicated 96GB + RTX6000 GPU x3", 1920, 96, 20, 20_000, 10_000, 3000],
  ["g1-gpu-rtx6000-4", "Dedicated 128GB + RTX6000 GPU x4", 2560, 128, 24, 20_000, 10_000, 4000],
];
/** Deprecated types. Each has a successor of the same size. */
const PREVIOUS: readonly (readonly [successor: string, ...line: Line])[] = [
  ["g6-nanode-1", "g5-nanode-1", "Nanode 1GB (previous)", 20, 1, 1, 1000, 125, 5],
  ["g6-standard-1", "g5-standard-1", "Compute 2GB (previous)", 30, 2, 1, 2000, 125, 12],
  ["g6-standard-2", "g5-standard-2", "Compute 4GB (previous)", 48, 4, 2, 3000, 250, 24],
];

/** Compute types with prices. Labels contain the neutral word, and responses contain the brand word. */
export const computeTypeSeed = seedOf(COMPUTE_TYPES, [
  type("nanode", ["g6-nanode-1", "Nanode 1GB", 25, 1, 1, 1000, 1000, 5]),
  ...STANDARD.map((line) => type("standard", line)),
  ...DEDICATED.map((line) => type("dedicated", line)),
  ...HIGH_MEMORY.map((line) => type("highmem", line)),
  ...PREMIUM.map((line) => type("premium", line)),
  ...GPU.map((line, index) => type("gpu", line, { gpus: index + 1 })),
  ...PREVIOUS.map(([successor, ...line]) =>
    type(line[0].includes("nanode") ? "nanode" : "standard", line, { successor }),
  ),
]);

function type(kind: ComputeTypeRow["class"], line: Line, rest: Partial<ComputeTypeRow> = {}): ComputeTypeRow {
  const [id, label, disk, memory, vcpus, transfer, network_out, monthly] = line;
  return {
    id,
    label,
    class: kind,
    disk: disk * 1024,
    memory: memory * 1024,
    vcpus,
    gpus: 0,
    transfer,
    network_out,
    successor: null,
    ...prices(monthly),
    addons: { backups: prices(monthly * 0.25) },
    ...rest,
  };
}

/** Returns the price of all regions, and the higher price of one region. */
function prices(monthly: number): Pick<ComputeTypeRow, "price" | "region_prices"> {
  return { price: price(monthly), region_prices: [{ id: "ap-southeast", ...price(monthly * 1.2) }] };
}

function price(monthly: number): Price {
  return { hourly: Number((monthly / 667).toFixed(4)), monthly: Number(monthly.toFixed(2)) };
}
