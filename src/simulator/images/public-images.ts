import { seedOf } from "../server/seed.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

const RELEASED = Date.UTC(2024, 0, 15);

/** Public images; the older ones cannot read user data. */
export const imageSeed = seedOf(IMAGES, [
  image("debian12", "Debian 12", "Debian", 1500, ["cloud-init"]),
  image("debian11", "Debian 11", "Debian", 1300, ["cloud-init"]),
  image("ubuntu22.04", "Ubuntu 22.04 LTS", "Ubuntu", 3000, ["cloud-init"]),
  image("ubuntu24.04", "Ubuntu 24.04 LTS", "Ubuntu", 3400, ["cloud-init"]),
  image("almalinux9", "AlmaLinux 9", "AlmaLinux", 2200, ["cloud-init"]),
  image("alpine3.20", "Alpine 3.20", "Alpine", 300, []),
  { ...image("debian9", "Debian 9", "Debian", 1100, []), deprecated: true, eol: "2022-06-30T04:00:00" },
]);

function image(name: string, label: string, vendor: string, size: number, capabilities: readonly string[]): ImageRow {
  return {
    id: `compute/${name}`,
    label,
    description: null,
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
    filesystem: "ext4",
  };
}
