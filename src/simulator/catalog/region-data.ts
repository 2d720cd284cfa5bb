import { seedOf } from "../server/seed.ts";
import { AVAILABILITY, REGIONS } from "./tables.ts";
import type { AvailabilityRow, RegionRow } from "./tables.ts";

const EVERYWHERE = [
  "Compute",
  "Backups",
  "NodeBalancers",
  "Block Storage",
  "Kubernetes",
  "Cloud Firewall",
  "Managed Databases",
  "StackScripts",
];
const NETWORKS = [...EVERYWHERE, "Vlans"];
const METADATA = [...NETWORKS, "Metadata", "Disk Encryption", "Placement Group"];
const STORAGE = [...METADATA, "Object Storage"];
const CORE = [
  ...STORAGE,
  "VPCs",
  "Compute Interfaces",
  "Maintenance Policy",
  "Premium Plans",
  "Block Storage Encryption",
  "Kubernetes Enterprise",
  "Custom VPC IPv4 Ranges",
];

/** Regions of the catalog. Some lack a capability, to test the rules that depend on capabilities. */
const regions: readonly RegionRow[] = [
  region("us-east", "Newark, NJ", "us", [...STORAGE, "VPCs", "GPU Computes"]),
  region("us-central", "Dallas, TX", "us", METADATA),
  region("us-west", "Fremont, CA", "us", EVERYWHERE),
  region("us-southeast", "Atlanta, GA", "us", [...STORAGE, "GPU Computes"]),
  region("us-ord", "Chicago, IL", "us", CORE),
  region("us-iad", "Washington, DC", "us", CORE),
  region("us-sea", "Seattle, WA", "us", CORE),
  region("us-mia", "Miami, FL", "us", CORE),
  region("us-lax", "Los Angeles, CA", "us", CORE),
  region("ca-central", "Toronto, CA", "ca", NETWORKS),
  region("br-gru", "Sao Paulo, BR", "br", CORE),
  region("eu-central", "Frankfurt, DE", "de", [...STORAGE, "GPU Computes"]),
  region("eu-west", "London, UK", "gb", METADATA),
  region("fr-par", "Paris, FR", "fr", CORE),
  region("nl-ams", "Amsterdam, NL", "nl", CORE),
  region("se-sto", "Stockholm, SE", "se", CORE),
  region("es-mad", "Madrid, ES", "es", CORE),
  region("it-mil", "Milan, IT", "it", CORE),
  region("ap-south", "Singapore, SG", "sg", [...STORAGE, "GPU Computes"]),
  region("ap-northeast", "Tokyo, JP", "jp", EVERYWHERE),
  region("ap-southeast", "Sydney, AU", "au", METADATA),
  region("ap-west", "Mumbai, IN", "in", [...METADATA, "GPU Computes"]),
  region("jp-osa", "Osaka, JP", "jp", CORE),
  region("in-maa", "Chennai, IN", "in", CORE),
  region("id-cgk", "Jakarta, ID", "id", CORE),
];

/** Plans that only some regions sell (part 2 section 4.8), with the capability that such a region has. */
const SELECT_PLANS = [
  { capability: "GPU Computes", plans: [1, 2, 3, 4].map((count) => `g1-gpu-rtx6000-${count}`) },
  { capability: "Premium Plans", plans: [2, 4, 8, 16].map((cores) => `g7-premium-${cores}`) },
];

const availability: readonly AvailabilityRow[] = regions.flatMap(({ id, capabilities }) =>
  SELECT_PLANS.flatMap(({ capability, plans }) =>
    plans.map((plan) => ({ region: id, plan, available: capabilities.includes(capability) })),
  ),
);

export const regionSeed = seedOf(REGIONS, regions);
export const availabilitySeed = seedOf(AVAILABILITY, availability);

function region(id: string, label: string, country: string, capabilities: readonly string[]): RegionRow {
  const last = 4 + id.length;
  const resolvers = {
    ipv4: `192.0.2.${last},192.0.2.${last + 1}`,
    ipv6: `2001:db8:53::${last},2001:db8:53::${last + 1}`,
  };
  const placement_group_limits = {
    maximum_pgs_per_customer: null,
    maximum_computes_per_pg: 5,
    maximum_computes_per_flexible_pg: 5,
  };
  const watched = capabilities.filter((capability) => capability === "Managed Databases");
  const monitors = { alerts: watched, metrics: watched };
  const newer = { site_type: "core", placement_group_limits, monitors } as const;
  return { id, label, country, capabilities, status: "ok", resolvers, ...newer };
}
