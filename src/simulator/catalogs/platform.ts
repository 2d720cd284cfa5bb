import type { BetaRow, EngineRow, KernelRow, ObjectStorageClusterRow } from "../tables/catalog.ts";

export const kernels: readonly KernelRow[] = [
  kernel("compute/latest-64bit", "Latest 64 bit (6.9.7-x86_64)", "6.9.7"),
  kernel("compute/grub2", "GRUB 2", "2.06"),
  kernel("compute/direct-disk", "Direct Disk", ""),
  kernel("compute/6.9.7-x86_64", "6.9.7-x86_64", "6.9.7"),
  kernel("compute/6.2.9-x86_64", "6.2.9-x86_64", "6.2.9"),
  { ...kernel("compute/latest-32bit", "Latest 32 bit (6.2.9-x86)", "6.2.9"), architecture: "i386" },
  { ...kernel("compute/4.14.2-x86_64", "4.14.2-x86_64", "4.14.2"), deprecated: true },
];

export const engines: readonly EngineRow[] = ["8.0.26", "8.0.30", "8.0.35", "5.7.44"].map((version) => ({
  id: `mysql/${version}`,
  engine: "mysql",
  version,
}));

export const objectStorageClusters: readonly ObjectStorageClusterRow[] = [
  cluster("us-east-1", "us-east"),
  cluster("us-southeast-1", "us-southeast"),
  cluster("eu-central-1", "eu-central"),
  cluster("ap-south-1", "ap-south"),
];

/** One of each sort: open, for early access only, with one place, and over. */
export const betas: readonly BetaRow[] = [
  beta("fast-disks", "Fast disks", {}),
  beta("early-network", "Early network", { greenlight_only: true }),
  beta("one-place", "One place", { places: 1 }),
  beta("long-gone", "Long gone", { ended: "2024-01-01T00:00:00" }),
];

function kernel(id: string, label: string, version: string): KernelRow {
  return {
    id,
    label,
    version,
    architecture: "x86_64",
    built: "2024-07-01T00:00:00",
    deprecated: false,
    kvm: true,
    pvops: true,
  };
}

function cluster(id: string, region: string): ObjectStorageClusterRow {
  const domain = `${id}.objects.example.com`;
  return { id, domain, region, status: "available", static_site_domain: `website-${domain}` };
}

function beta(id: string, label: string, rest: Partial<BetaRow>): BetaRow {
  const common = { description: `${label} for everybody`, more_info: `https://beta.example.com/${id}`, places: null };
  return { id, label, ...common, greenlight_only: false, started: "2023-06-01T00:00:00", ended: null, ...rest };
}
