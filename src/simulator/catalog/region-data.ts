import { seedOf } from "../server/seed.ts";
import { AVAILABILITY, REGIONS } from "./tables.ts";
import type { AvailabilityRow, RegionRow } from "./tables.ts";

const EVERYWHERE = ["Compute", "Managed Databases", "Cloud Firewall", "Block Storage", "NodeBalancers", "Kubernetes"];
const MODERN = [...EVERYWHERE, "Vlans", "Metadata", "Object Storage"];

/** Regions: most are modern; a few lack a capability, so that rules on capabilities can be met and broken. */
const regions: readonly RegionRow[] = [
  region("us-east", "Newark, NJ", "us", [...MODERN, "GPU Computes"]),
  region("us-central", "Dallas, TX", "us", [...EVERYWHERE, "Vlans", "Metadata"]),
  region("us-west", "Fremont, CA", "us", EVERYWHERE),
  region("us-southeast", "Atlanta, GA", "us", [...MODERN, "GPU Computes"]),
  region("us-ord", "Chicago, IL", "us", [...MODERN, "Premium Plans"]),
  region("us-iad", "Washington, DC", "us", [...MODERN, "Premium Plans"]),
  region("ca-central", "Toronto, CA", "ca", [...EVERYWHERE, "Vlans"]),
  region("eu-central", "Frankfurt, DE", "de", [...MODERN, "GPU Computes"]),
  region("eu-west", "London, UK", "gb", [...EVERYWHERE, "Vlans", "Metadata"]),
  region("fr-par", "Paris, FR", "fr", [...MODERN, "Premium Plans"]),
  region("ap-south", "Singapore, SG", "sg", [...MODERN, "GPU Computes"]),
  region("ap-northeast", "Tokyo, JP", "jp", EVERYWHERE),
  region("ap-southeast", "Sydney, AU", "au", [...EVERYWHERE, "Vlans", "Metadata"]),
];

/** The plans that are sold in select regions only (part 2 section 4.8). */
const availability: readonly AvailabilityRow[] = regions.flatMap((row) => [
  { region: row.id, plan: "g1-gpu-rtx6000-1", available: row.capabilities.includes("GPU Computes") },
  { region: row.id, plan: "g7-premium-2", available: row.capabilities.includes("Premium Plans") },
]);

export const regionSeed = seedOf(REGIONS, regions);
export const availabilitySeed = seedOf(AVAILABILITY, availability);

function region(id: string, label: string, country: string, capabilities: readonly string[]): RegionRow {
  const last = 4 + id.length;
  const resolvers = {
    ipv4: `192.0.2.${last},192.0.2.${last + 1}`,
    ipv6: `2001:db8:53::${last},2001:db8:53::${last + 1}`,
  };
  return { id, label, country, capabilities, status: "ok", resolvers };
}
