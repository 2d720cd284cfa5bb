/*
 * Serves clusters, buckets, keys and certificates, and the objects at the URLs that the API returns.
 * Guarantees: a signed URL permits only the signed request. Contents and rows are stored together.
 * Imports server/, catalog, and the balance check of account.
 */
import * as z from "zod";
import { requireFunds } from "../account/funds.ts";
import { invalid, notFound, refused } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import type { Context } from "../server/operation.ts";
import type { Limit } from "../server/rate-limits.ts";
import { optional, text, timestamp } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { BUCKETS_PATH, bucketOperation, storageOperation } from "./bucket-operation.ts";
import { placeNamed } from "./places.ts";
import type { Place } from "./places.ts";
import { findBucket } from "./stored-objects.ts";
import { BUCKETS, CANNED_ACLS, OBJECTS } from "./tables.ts";
import type { BucketRow } from "./tables.ts";

/** The documents give no limits. These limits let the label be part of a host name. */
const label = text(3, 63).regex(
  /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/,
  "Must have only lower case letters, digits, dashes and periods, and begin and end with a letter or digit",
);

const createBody = z
  .object({
    acl: optional(z.enum(CANNED_ACLS)),
    cluster: optional(z.string()),
    cors_enabled: optional(z.boolean()),
    label,
    region: optional(z.string()),
  })
  // Runs even if another field is invalid, because a refusal names every invalid field.
  .refine(namesPlace, { path: ["cluster"], error: "cluster is required", when: ({ value }) => isObject(value) });

/** Not-shown section 9. */
const CREATIONS: Limit = { bucket: "bucket create", requests: 60, seconds: 60 };

/** Serves buckets: lists, create, view, delete (part 3 section 4.1). */
export const bucketOperations = [
  storageOperation({
    method: "GET",
    path: BUCKETS_PATH,
    summary: "List buckets",
    paged: { filterable: [] },
    handler: ({ world, account }) => rowList(world.store.all(BUCKETS, account), presenter(world, account)),
  }),
  storageOperation({
    method: "POST",
    path: BUCKETS_PATH,
    summary: "Create a bucket; one that the account has already is answered as it is",
    body: createBody,
    limit: CREATIONS,
    handler: create,
  }),
  storageOperation({
    method: "GET",
    path: `${BUCKETS_PATH}/{clusterId}`,
    summary: "List buckets of a cluster",
    params: { clusterId: "text" },
    paged: { filterable: [] },
    handler({ world, account, params: { clusterId = "" } }) {
      const place = placeNamed(world, clusterId);
      if (!place) throw notFound();
      return rowList(world.store.children(BUCKETS, account, place.id), presenter(world, account));
    },
  }),
  bucketOperation({
    method: "GET",
    below: "",
    summary: "View a bucket",
    handler: ({ world, account }, bucket) => presenter(world, account)(bucket),
  }),
  bucketOperation({
    method: "DELETE",
    below: "",
    summary: "Delete an empty bucket",
    handler({ world, account }, bucket) {
      if (world.store.count(OBJECTS, account, bucket.serial) > 0) throw refused("The bucket is not empty");
      world.store.remove(BUCKETS, account, bucket.id);
      return {};
    },
  }),
];

function create(context: Context<z.output<typeof createBody>>): unknown {
  const { world, account, body, now } = context;
  const place = wantedPlace(context);
  const known = findBucket(world, `${place.id}/${body.label}`);
  if (known && known.account !== account) throw invalid("label", "The label is in use in this cluster");
  if (known) return presenter(world, account)(known.bucket);
  requireFunds(context);
  const bucket: BucketRow = {
    id: `${place.id}/${body.label}`,
    serial: world.store.nextId("bucket"),
    place: place.id,
    label: body.label,
    created: now,
    acl: body.acl ?? "private",
    cors_enabled: body.cors_enabled ?? false,
    tls: null,
  };
  return presenter(world, account)(world.store.put(BUCKETS, account, bucket));
}

function namesPlace({ cluster, region }: { cluster?: unknown; region?: unknown }): boolean {
  return (cluster ?? region ?? undefined) !== undefined;
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === "object";
}

/** Returns the requested place. Older clients send the cluster, newer clients send the region. */
function wantedPlace({ world, body }: Context<z.output<typeof createBody>>): Place {
  const { cluster, region } = body;
  const field = cluster === undefined ? "region" : "cluster";
  const place = placeNamed(world, cluster ?? region ?? "");
  if (!place?.available) throw invalid(field, `${field} is not valid`);
  if (region !== undefined && region !== place.region) throw invalid("region", "region is not that of the cluster");
  return place;
}

/** Returns a function that returns a bucket in the form of the API (not-shown section 5). */
function presenter(world: World, account: string): (bucket: Readonly<BucketRow>) => Record<string, unknown> {
  return (bucket) => {
    const objects = world.store.children(OBJECTS, account, bucket.serial);
    const place = placeNamed(world, bucket.place);
    return {
      label: bucket.label,
      cluster: place?.cluster ?? "",
      region: place?.region ?? "",
      hostname: `${bucket.label}.${place?.domain}`,
      s3_endpoint: place?.domain ?? null,
      endpoint_type: place?.endpointType ?? null,
      created: timestamp(bucket.created),
      size: objects.reduce((sum, { size }) => sum + size, 0),
      objects: objects.length,
    };
  };
}
