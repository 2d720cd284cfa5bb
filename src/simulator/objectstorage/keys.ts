import { randomBytes } from "node:crypto";
import * as z from "zod";
import { requireFunds } from "../account/funds.ts";
import { invalid } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { rowList } from "../server/lists/paging.ts";
import { rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { optional } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { storageOperation } from "./bucket-operation.ts";
import { placeNamed } from "./places.ts";
import { BUCKETS, STORAGE_KEYS } from "./tables.ts";
import type { BucketAccess, StorageKeyRow } from "./tables.ts";

const path = "/object-storage/keys";
const one = `${path}/{keyId}`;
const label = optional(z.string());
const regions = optional(z.array(z.string()));

/** Older clients send the cluster, newer clients send the region. */
const access = z.object({
  bucket_name: z.string(),
  cluster: optional(z.string()),
  region: optional(z.string()),
  permissions: z.enum(["read_write", "read_only"]),
});

/** Serves access keys. Only the response of the create request shows the secret (part 3 section 4.1, not-shown section 5). */
export const storageKeyOperations = [
  storageOperation({
    method: "GET",
    path,
    summary: "List access keys",
    paged: { filterable: [] },
    handler: ({ world, account }) =>
      rowList(world.store.all(STORAGE_KEYS, account), (key) => presentHidden(world, key)),
  }),
  storageOperation({
    method: "POST",
    path,
    summary: "Create an access key",
    body: z.object({ bucket_access: optional(z.array(access)), label, regions }),
    handler(context) {
      const { world, account, body } = context;
      requireFunds(context);
      const bucket_access = body.bucket_access?.map((wanted, index) => bucketAccess(context, wanted, index)) ?? null;
      const key = world.store.put(STORAGE_KEYS, account, {
        id: world.store.nextId("object-storage-key"),
        label: body.label ?? "",
        access_key: randomBytes(10).toString("hex").toUpperCase(),
        secret_key: randomBytes(30).toString("base64url"),
        bucket_access,
        regions: knownRegions(world, body.regions) ?? [...new Set(bucket_access?.map(({ region }) => region))],
      });
      tell(context, "obj_access_key_create", key);
      return present(world, key);
    },
  }),
  storageOperation({
    method: "GET",
    path: one,
    summary: "View an access key",
    handler: (context) => presentHidden(context.world, keyOf(context)),
  }),
  storageOperation({
    method: "PUT",
    path: one,
    summary: "Change an access key's label or regions",
    body: z.object({ label, regions }),
    handler(context) {
      const { world, account, body } = context;
      const key = keyOf(context);
      const changed = world.store.put(STORAGE_KEYS, account, {
        ...key,
        label: body.label ?? key.label,
        regions: knownRegions(world, body.regions) ?? key.regions,
      });
      tell(context, "obj_access_key_update", changed);
      return presentHidden(world, changed);
    },
  }),
  storageOperation({
    method: "DELETE",
    path: one,
    summary: "Revoke an access key",
    handler(context) {
      const key = keyOf(context);
      context.world.store.remove(STORAGE_KEYS, context.account, key.id);
      tell(context, "obj_access_key_delete", key);
      return {};
    },
  }),
];

function keyOf(context: Context): Readonly<StorageKeyRow> {
  return rowOf(context, STORAGE_KEYS, context.params["keyId"]);
}

function bucketAccess({ world, account }: Context, wanted: z.output<typeof access>, index: number): BucketAccess {
  const at = `bucket_access.${index}`;
  const { bucket_name, permissions, cluster, region = "" } = wanted;
  if (cluster === undefined && region === "") throw invalid(`${at}.cluster`, "cluster is required");
  const place = placeNamed(world, cluster ?? region);
  if (!place || !world.store.get(BUCKETS, account, `${place.id}/${bucket_name}`))
    throw invalid(`${at}.bucket_name`, "There is no such bucket in the cluster");
  return { bucket_name, permissions, cluster: place.cluster, region: place.region };
}

function knownRegions(world: World, wanted: readonly string[] | undefined): readonly string[] | undefined {
  const unknown = wanted?.find((region) => !placeNamed(world, region));
  if (unknown !== undefined) throw invalid("regions", `${unknown} is no region with object storage`);
  return wanted;
}

function tell({ world, account, caller }: Context, action: string, { id, label: name }: StorageKeyRow): void {
  const entity = { id, label: name, type: "object_storage_key", url: `/v4${path}/${id}` };
  recordEvent(world, account, { action, entity, caller });
}

function present(world: World, { bucket_access, ...key }: StorageKeyRow): Record<string, unknown> {
  const regionOf = (id: string) => {
    const { domain, endpointType } = placeNamed(world, id) ?? {};
    return { id, s3_endpoint: domain, endpoint_type: endpointType };
  };
  return { ...key, limited: bucket_access !== null, bucket_access, regions: key.regions.map(regionOf) };
}

function presentHidden(world: World, key: StorageKeyRow): Record<string, unknown> {
  return present(world, { ...key, secret_key: "[REDACTED]" });
}
