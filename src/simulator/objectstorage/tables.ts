import type { Table } from "../server/store/store.ts";

/** The canned ACLs, and `custom` for an ACL from the bucket protocol (part 3 section 2.1). */
export const CANNED_ACLS = ["private", "public-read", "authenticated-read", "public-read-write"] as const;
export const ACLS = [...CANNED_ACLS, "custom"] as const;
export type Acl = (typeof ACLS)[number];

export interface BucketRow {
  /** `cluster/label`, or `region/label` in a newer region. */
  readonly id: string;
  /** Never reused: a new bucket with the same name has no old objects. */
  readonly serial: number;
  /** ID of the cluster or the newer region. */
  readonly place: string;
  readonly label: string;
  readonly created: number;
  readonly acl: Acl;
  readonly cors_enabled: boolean;
  /** The uploaded certificate. */
  readonly tls: { readonly certificate: string; readonly private_key: string } | null;
}

export interface ObjectRow {
  /** Serial of the bucket. */
  readonly bucket: number;
  readonly name: string;
  /** MD5 of the content, hexadecimal. */
  readonly etag: string;
  readonly size: number;
  readonly content_type: string;
  /** Key of the content in the blobs. */
  readonly digest: string;
  readonly modified: number;
  /** Null: the ACL of the bucket applies. */
  readonly acl: Acl | null;
}

export interface BucketAccess {
  readonly cluster: string;
  readonly region: string;
  readonly bucket_name: string;
  readonly permissions: "read_only" | "read_write";
}

export interface StorageKeyRow {
  readonly id: number;
  readonly label: string;
  readonly access_key: string;
  readonly secret_key: string;
  /** Null: unlimited. */
  readonly bucket_access: readonly BucketAccess[] | null;
  /** Regions of the key, if the request named regions. */
  readonly regions: readonly string[];
}

/** Outbound bytes of object storage in a month. */
export interface OutboundRow {
  /** `2026-11`. */
  readonly month: string;
  readonly bytes: number;
}

export const BUCKETS: Table<BucketRow> = { name: "bucket", key: (row) => row.id, parent: (row) => row.place };
export const OBJECTS: Table<ObjectRow> = {
  name: "object",
  key: (row) => `${row.bucket}/${row.name}`,
  parent: (row) => row.bucket,
};
export const STORAGE_KEYS: Table<StorageKeyRow> = { name: "object-storage-key", key: (row) => row.id };
export const OUTBOUND: Table<OutboundRow> = { name: "outbound", key: (row) => row.month, internal: true };

export interface ObjectStorageClusterRow {
  readonly id: string;
  readonly domain: string;
  readonly region: string;
  readonly status: "available" | "unavailable";
  readonly static_site_domain: string;
}

export const OBJECT_STORAGE_CLUSTERS: Table<ObjectStorageClusterRow> = {
  name: "object-storage-cluster",
  key: (row) => row.id,
};
