import { OBJECT_STORAGE_CLUSTERS } from "../../tables/catalog.ts";
import { catalogOperations } from "../catalog/catalogs.ts";
import { STORAGE_LIMIT } from "./bucket-operation.ts";

/** Clusters of object storage (part 3 section 4.1, not-shown section 5). */
export const clusterOperations = catalogOperations({
  table: OBJECT_STORAGE_CLUSTERS,
  path: "/object-storage/clusters",
  param: "clusterId",
  kind: "text",
  noun: "cluster",
  filterable: [],
  present: (row) => row,
  limit: STORAGE_LIMIT,
});
