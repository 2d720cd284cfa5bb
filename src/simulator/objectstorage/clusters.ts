import { catalogOperations } from "../catalog/catalog-operations.ts";
import { seedOf } from "../server/seed.ts";
import { STORAGE_LIMIT } from "./bucket-operation.ts";
import { OBJECT_STORAGE_CLUSTERS } from "./tables.ts";
import type { ObjectStorageClusterRow } from "./tables.ts";

/** Serves clusters of object storage (part 3 section 4.1, not-shown section 5). */
export const clusterOperations = catalogOperations({
  table: OBJECT_STORAGE_CLUSTERS,
  path: "/object-storage/clusters",
  param: "clusterId",
  kind: "text",
  noun: "cluster",
  filterable: ["region"],
  present: (row) => row,
  limit: STORAGE_LIMIT,
});

export const clusterSeed = seedOf(OBJECT_STORAGE_CLUSTERS, [
  cluster("us-east-1", "us-east"),
  cluster("us-southeast-1", "us-southeast"),
  cluster("eu-central-1", "eu-central"),
  cluster("ap-south-1", "ap-south"),
]);

function cluster(id: string, region: string): ObjectStorageClusterRow {
  const domain = `${id}.objects.example.com`;
  return { id, domain, region, status: "available", static_site_domain: `website-${domain}` };
}
