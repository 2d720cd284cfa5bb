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

/** An entry of the contents. A row of a bucket lists the first entries only. */
interface ShownObject {
  readonly name: string;
  readonly etag?: string;
  readonly size?: number;
  readonly last_modified?: string;
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
      for (let index = 0; index < shown; index += 1) {
        const facts = { size: index === 0 ? size : 0, etag: "", modified: bucket.created };
        world.store.put(OBJECTS, account, { ...placeholder, ...facts, bucket: serial, name: `${unknown}${index}` });
      }
    },
  }),
  loadOf<{ readonly data?: readonly ShownObject[] }>({
    from: `${access}/object-list`,
    isSingle: true,
    needs: ({ objects }) => objects !== 0,
    load: (copy, { data = [] }, params) => storeObjects(copy, params, data),
  }),
  loadOf<{ readonly acl: Acl }>({
    from: `${access}/object-acl?name={name}`,
    isSingle: true,
    among: { from: `${access}/object-list`, rows: firstObjects },
    load({ world, account }, { acl }, params) {
      const bucket = world.store.get(BUCKETS, account, bucketId(params));
      const object = bucket && world.store.get(OBJECTS, account, `${bucket.serial}/${params["name"]}`);
      if (object && acl !== bucket.acl) world.store.put(OBJECTS, account, { ...object, acl });
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

/** Most reads of ACLs for a bucket. Other objects have the ACL of the bucket. */
const MOST_ACLS = 20;

function firstObjects({ data = [] }: { readonly data?: readonly ShownObject[] }): readonly ShownObject[] {
  return data.slice(0, MOST_ACLS);
}

const unknown = "unknown-";
const placeholder = { content_type: "application/octet-stream", digest: "", acl: null };

/** Replaces placeholders by known objects. The sum of the sizes stays. */
function storeObjects(
  { world, account }: Copy,
  params: Readonly<Record<string, string>>,
  data: readonly ShownObject[],
): void {
  const bucket = world.store.get(BUCKETS, account, bucketId(params));
  if (!bucket) return;
  const { serial, created } = bucket;
  const size = world.store.children(OBJECTS, account, serial).reduce((sum, one) => sum + one.size, 0);
  const rest = data.reduce((left, one) => left - (one.size ?? 0), size);
  for (const [index, { name, etag = "", size: own = 0, last_modified: stamp }] of data.entries()) {
    world.store.remove(OBJECTS, account, `${serial}/${unknown}${index}`);
    const modified = stamp === undefined ? created : Date.parse(stamp);
    world.store.put(OBJECTS, account, { ...placeholder, bucket: serial, name, etag, size: own, modified });
  }
  const first = world.store.get(OBJECTS, account, `${serial}/${unknown}${data.length}`);
  if (first) world.store.put(OBJECTS, account, { ...first, size: rest });
}

function bucketId(params: Readonly<Record<string, string>>): string {
  return `${params["place"]}/${params["label"]}`;
}

function change({ world, account }: Copy, params: Readonly<Record<string, string>>, fields: Partial<BucketRow>): void {
  const bucket = world.store.get(BUCKETS, account, bucketId(params));
  if (bucket) world.store.put(BUCKETS, account, { ...bucket, ...fields });
}
