import { REGIONS } from "../catalog/tables.ts";
import type { RegionRow } from "../catalog/tables.ts";
import { SHARED } from "../server/store/store.ts";
import type { World } from "../server/world.ts";
import { OBJECT_STORAGE_CLUSTERS } from "./tables.ts";
import type { ObjectStorageClusterRow } from "./tables.ts";

/** Where buckets are: a cluster, or a newer region, which has no cluster that could be named. */
export interface Place {
  /** In paths, in place of the cluster. */
  readonly id: string;
  /** Empty for a newer region. */
  readonly cluster: string;
  readonly region: string;
  readonly domain: string;
  readonly endpointType: "E0" | "E1";
  readonly available: boolean;
}

/** The place of this cluster or region; an older region is its cluster. */
export function placeNamed(world: World, id: string): Place | undefined {
  const cluster = world.store.get(OBJECT_STORAGE_CLUSTERS, SHARED, id);
  if (cluster) return clusterPlace(cluster);
  const region = world.store.get(REGIONS, SHARED, id);
  return region?.capabilities.includes("Object Storage") ? regionPlace(world, region) : undefined;
}

/** Every place where buckets can be. */
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
