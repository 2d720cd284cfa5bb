import { catalogOperations } from "../../catalog/catalog-operations.ts";
import { seedOf } from "../../server/seed.ts";
import { KERNELS } from "./tables.ts";
import type { KernelRow } from "./tables.ts";

/** Kernels to boot (part 2 section 4.6). */
export const kernelOperations = catalogOperations({
  table: KERNELS,
  path: "/compute/kernels",
  param: "kernelId",
  kind: "slug",
  noun: "kernel",
  filterable: ["label", "version", "kvm", "architecture", "pvops", "deprecated"],
  present: (row) => row,
});

export const kernelSeed = seedOf(KERNELS, [
  kernel("compute/latest-64bit", "Latest 64 bit (6.9.7-x86_64)", "6.9.7"),
  kernel("compute/grub2", "GRUB 2", "2.06"),
  { ...kernel("compute/grub-legacy", "GRUB (Legacy)", "2.0.0"), deprecated: true },
  kernel("compute/direct-disk", "Direct Disk", ""),
  ...["6.9.7", "6.8.9", "6.6.12", "6.5.6", "6.4.9", "6.3.5", "6.2.9", "6.1.10"].map((version) => built(version)),
  { ...kernel("compute/latest-32bit", "Latest 32 bit (6.2.9-x86)", "6.2.9"), architecture: "i386" },
  { ...kernel("compute/6.2.9-x86", "6.2.9-x86", "6.2.9"), architecture: "i386" },
  ...["5.19.2", "5.15.10", "5.10.13", "4.19.5", "4.14.2", "4.9.50"].map((version) => built(version, true)),
]);

function built(version: string, deprecated = false): KernelRow {
  return { ...kernel(`compute/${version}-x86_64`, `${version}-x86_64`, version), deprecated };
}

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
