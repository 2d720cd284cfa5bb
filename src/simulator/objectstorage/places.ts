import { REGIONS } from "../catalog/tables.ts";
import type { RegionRow } from "../catalog/tables.ts";
import { SHARED } from "../server/store/store.ts";
import type { World } from "../server/world.ts";
import { OBJECT_STORAGE_CLUSTERS } from "./tables.ts";
import type { ObjectStorageClusterRow } from "./tables.ts";

/** The place of buckets: a cluster, or a newer region without a cluster. */
export interface Place {
  /** Used in paths as the cluster. */
  readonly id: string;
  /** Empty for a newer region. */
  readonly cluster: string;
  readonly region: string;
  readonly domain: string;
  readonly endpointType: "E0" | "E1";
  readonly available: boolean;
}

/** Returns the place with the ID of a cluster or region. The place of an older region is the cluster. */
export function placeNamed(world: World, id: string): Place | undefined {
  const cluster = world.store.get(OBJECT_STORAGE_CLUSTERS, SHARED, id);
  if (cluster) return clusterPlace(cluster);
  const region = world.store.get(REGIONS, SHARED, id);
  return region?.capabilities.includes("Object Storage") ? regionPlace(world, region) : undefined;
}

/** Returns all places for buckets. */
export function places(world: World): Place[] {
  const able = world.store.all(REGIONS, SHARED).filter(({ capabilities }) => capabilities.includes("Object Storage"));
  return able.map((region) => regionPlace(world, region));
}

function regionPlace(world: World, { id }: Readonly<RegionRow>): Place {
  const cluster = world.store.all(OBJECT_STORAGE_CLUSTERS, SHARED).find(({ region }) => region === id);
  if (cluster) return clusterPlace(cluster);
  const domain = `${id}-1.objects.example.com`;
  return { id, cluster: "", region: id, domain, endpointType: "E1", available: true };
}

function clusterPlace({ id, region, domain, status }: Readonly<ObjectStorageClusterRow>): Place {
  return { id, cluster: id, region, domain, endpointType: "E0", available: status === "available" };
}
