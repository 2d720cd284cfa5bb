/*
 * Loads object storage from responses of the API.
 * Guarantees: a bucket has as many objects and bytes as the account. Their names and contents are placeholders.
 * Imports the rows of object storage, and catalog.
 */
import { catalogLoad } from "../../catalog/load-catalog.ts";
import { loadOf } from "../../server/load.ts";
import type { Copy, Load } from "../../server/load.ts";
import { epoch } from "../../server/wire.ts";
import { BUCKETS, OBJECTS, OBJECT_STORAGE_CLUSTERS, STORAGE_KEYS } from "../tables.ts";
import type { Acl, BucketRow, StorageKeyRow } from "../tables.ts";

/** Most placeholders of objects in a bucket. */
const MOST_OBJECTS = 1000;

interface ShownBucket {
  readonly label: string;
  readonly cluster: string;
  readonly region: string;
  readonly created: string;
  readonly size: number;
  readonly objects: number;
}

const access = "/object-storage/buckets/{place}/{label}";

/** Loads clusters, buckets and keys. The API shows no contents, certificates and secret keys. */
export const storageLoads: readonly Load[] = [
  catalogLoad("/object-storage/clusters", OBJECT_STORAGE_CLUSTERS),
  loadOf<ShownBucket>({
    from: "/object-storage/buckets",
    load({ world, account }, { label, cluster, region, created, size, objects }) {
      const place = cluster || region;
      const serial = world.store.nextId("bucket");
      const settings = { acl: "private", cors_enabled: false, tls: null } as const;
      const bucket: BucketRow = { id: `${place}/${label}`, serial, place, label, created: epoch(created), ...settings };
      world.store.put(BUCKETS, account, bucket);
      const shown = Math.min(objects, MOST_OBJECTS);
      for (let index = 0; index < shown; index += 1)
        world.store.put(OBJECTS, account, {
          bucket: serial,
          name: `unknown-${index}`,
          etag: "",
          size: index === 0 ? size : 0,
          content_type: "application/octet-stream",
          digest: "",
          modified: bucket.created,
          acl: null,
        });
    },
  }),
  loadOf<{ readonly acl: Acl; readonly cors_enabled: boolean }>({
    from: `${access}/access`,
    isSingle: true,
    load(copy, { acl, cors_enabled }, params) {
      change(copy, params, { acl, cors_enabled });
    },
  }),
  loadOf<{ readonly ssl: boolean }>({
    from: `${access}/ssl`,
    isSingle: true,
    load(copy, { ssl }, params) {
      if (ssl) change(copy, params, { tls: { certificate: "unknown", private_key: "unknown" } });
    },
  }),
  loadOf<Omit<StorageKeyRow, "regions"> & { readonly regions?: readonly { readonly id: string }[] }>({
    from: "/object-storage/keys",
    load({ world, account }, { id, label, access_key, bucket_access, regions = [] }) {
      const row = { id, label, access_key, secret_key: "unknown", bucket_access };
      world.store.put(STORAGE_KEYS, account, { ...row, regions: regions.map((one) => one.id) });
    },
  }),
];

function change({ world, account }: Copy, params: Readonly<Record<string, string>>, fields: Partial<BucketRow>): void {
  const bucket = world.store.get(BUCKETS, account, `${params["place"]}/${params["label"]}`);
  if (bucket) world.store.put(BUCKETS, account, { ...bucket, ...fields });
}
