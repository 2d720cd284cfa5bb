import { catalogOperations } from "../../catalog/catalog-operations.ts";
import { seedOf } from "../../server/seed.ts";
import { KERNELS } from "./tables.ts";
import type { KernelRow } from "./tables.ts";

/** Serves the kernels that an instance can boot (part 2 section 4.6). */
export const kernelOperations = catalogOperations({
  table: KERNELS,
  path: "/compute/kernels",
  param: "kernelId",
  kind: "slug",
  noun: "kernel",
  filterable: ["label", "version", "kvm", "architecture", "pvops", "deprecated"],
  present: (row, { brand }) => ({ ...row, label: row.label.replace("-compute", `-${brand.word}`) }),
});

/** Newest first. Build numbers are consecutive. The build number of a 32-bit kernel is higher by 20. */
const RELEASES = (
  "6.8.9 6.7.9 6.4.9 6.3.5 6.2.9 6.1.10 6.0.10 6.0.2 5.19.2 5.18.2 5.17.5 5.16.13 5.16.3 5.15.10 5.14.17 5.14.15 " +
  "5.14.14 5.14.2 5.13.4 5.12.13 5.12.2 5.11.13 5.11.9 5.10.13 5.10.2 5.9.6 5.8.10 5.8.3 5.7.6 5.6.14 5.6.1 5.5.3 " +
  "5.4.10 5.3.11 5.3.7 5.2.9 5.1.17 5.1.11 5.1.5 4.14.120 5.1.2 5.0.8 5.0.1 4.20.4 4.19.8 4.19.5 4.18.16 4.18.8 " +
  "4.17.17 4.17.15"
).split(" ");
const NEWEST_BUILD = 164;
/** Older releases are deprecated. */
const OLDEST_CURRENT = RELEASES.indexOf("5.15.10");

export const kernelSeed = seedOf(KERNELS, [
  kernel("latest-64bit", `Latest 64 bit (${buildName("6.8.9", "x86_64", NEWEST_BUILD)})`, "6.8.9"),
  kernel("latest-32bit", `Latest 32 bit (${buildName("6.8.9", "x86", NEWEST_BUILD + 20)})`, "6.8.9", "i386"),
  kernel("grub2", "GRUB 2", "2.06"),
  { ...kernel("grub-legacy", "GRUB (Legacy)", "2.0.0"), deprecated: true },
  kernel("direct-disk", "Direct Disk", ""),
  ...RELEASES.flatMap((version, age) => {
    const wide = buildName(version, "x86_64", NEWEST_BUILD - age);
    const narrow = buildName(version, "x86", NEWEST_BUILD + 20 - age);
    const deprecated = age > OLDEST_CURRENT;
    return [
      { ...kernel(wide, wide, version), deprecated },
      { ...kernel(narrow, narrow, version, "i386"), deprecated },
    ];
  }),
]);

function buildName(version: string, machine: "x86_64" | "x86", build: number): string {
  return `${version}-${machine}-compute${build}`;
}

function kernel(
  name: string,
  label: string,
  version: string,
  architecture: KernelRow["architecture"] = "x86_64",
): KernelRow {
  return {
    id: `compute/${name}`,
    label,
    version,
    architecture,
    built: "2024-07-01T00:00:00",
    deprecated: false,
    kvm: true,
    pvops: true,
  };
}
