import { seedOf } from "../server/seed.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

const RELEASED = Date.UTC(2024, 0, 15);

/** Images that read user data: name, label, vendor, MB. */
const CURRENT: readonly (readonly [string, string, string, number])[] = [
  ["debian12", "Debian 12", "Debian", 1500],
  ["debian11", "Debian 11", "Debian", 1300],
  ["debian13", "Debian 13", "Debian", 1600],
  ["ubuntu20.04", "Ubuntu 20.04 LTS", "Ubuntu", 2700],
  ["ubuntu22.04", "Ubuntu 22.04 LTS", "Ubuntu", 3000],
  ["ubuntu24.04", "Ubuntu 24.04 LTS", "Ubuntu", 3400],
  ["alpine3.21", "Alpine 3.21", "Alpine", 300],
  ["alpine3.22", "Alpine 3.22", "Alpine", 300],
  ["alpine3.23", "Alpine 3.23", "Alpine", 300],
  ["almalinux8", "AlmaLinux 8", "AlmaLinux", 2000],
  ["almalinux9", "AlmaLinux 9", "AlmaLinux", 2200],
  ["rocky8", "Rocky Linux 8", "Rocky", 2100],
  ["rocky9", "Rocky Linux 9", "Rocky", 2300],
  ["centos-stream9", "CentOS Stream 9", "CentOS", 2200],
  ["fedora41", "Fedora 41", "Fedora", 2100],
  ["fedora42", "Fedora 42", "Fedora", 2200],
];
/** Images that do not read user data. */
const PLAIN: readonly (readonly [string, string, string, number])[] = [
  ["alpine3.19", "Alpine 3.19", "Alpine", 300],
  ["alpine3.20", "Alpine 3.20", "Alpine", 300],
  ["arch", "Arch Linux", "Arch", 2500],
  ["gentoo", "Gentoo", "Gentoo", 7000],
  ["kali", "Kali Linux", "Kali", 1600],
  ["opensuse15.6", "openSUSE Leap 15.6", "openSUSE", 2500],
  ["slackware15.0", "Slackware 15.0", "Slackware", 7500],
];
const DEPRECATED: readonly (readonly [string, string, string, number])[] = [
  ["alpine3.16", "Alpine 3.16", "Alpine", 300],
  ["centos7", "CentOS 7", "CentOS", 1500],
  ["debian9", "Debian 9", "Debian", 1100],
  ["debian10", "Debian 10", "Debian", 1200],
  ["fedora38", "Fedora 38", "Fedora", 1900],
  ["ubuntu16.04lts", "Ubuntu 16.04 LTS", "Ubuntu", 2500],
  ["ubuntu18.04", "Ubuntu 18.04 LTS", "Ubuntu", 2600],
];

/** Public images, several of each family. Older images do not read user data. */
export const imageSeed = seedOf(IMAGES, [
  ...CURRENT.map((line) => image(...line, ["cloud-init"])),
  ...PLAIN.map((line) => image(...line, [])),
  ...DEPRECATED.map((line) => image(...line, [], { deprecated: true, eol: "2022-06-30T04:00:00" })),
]);

function image(
  name: string,
  label: string,
  vendor: string,
  size: number,
  capabilities: readonly string[],
  rest: Partial<ImageRow> = {},
): ImageRow {
  return {
    id: `compute/${name}`,
    label,
    description: "",
    created: RELEASED,
    updated: RELEASED,
    created_by: "compute",
    deprecated: false,
    is_public: true,
    size,
    type: "manual",
    expiry: null,
    eol: "2028-06-30T04:00:00",
    vendor,
    status: "available",
    capabilities,
    tags: [],
    filesystem: "ext4",
    ...rest,
  };
}
