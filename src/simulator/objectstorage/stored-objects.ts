import { createHash } from "node:crypto";
import type { World } from "../server/world.ts";
import { BUCKETS, OBJECTS, OUTBOUND } from "./tables.ts";
import type { BucketRow, ObjectRow } from "./tables.ts";

/** Returns the bucket with this ID, of any account. */
export function findBucket(world: World, id: string): { account: string; bucket: Readonly<BucketRow> } | undefined {
  for (const account of world.store.accounts(BUCKETS)) {
    const bucket = world.store.get(BUCKETS, account, id);
    if (bucket) return { account, bucket };
  }
  return undefined;
}

export function objectOf(
  world: World,
  account: string,
  bucket: Readonly<BucketRow>,
  name: string,
): Readonly<ObjectRow> | undefined {
  return world.store.get(OBJECTS, account, `${bucket.serial}/${name}`);
}

/** Returns the objects of the bucket, sorted by the bytes of the names. */
export function objectsOf(world: World, account: string, bucket: Readonly<BucketRow>): ObjectRow[] {
  const named = world.store
    .children(OBJECTS, account, bucket.serial)
    .map((row) => ({ row, name: Buffer.from(row.name) }));
  return named.sort((a, b) => Buffer.compare(a.name, b.name)).map(({ row }) => row);
}

/** Stores an object and replaces an object with the same name. The ACL is reset. */
export function putObject(
  world: World,
  account: string,
  bucket: Readonly<BucketRow>,
  content: { name: string; contentType: string; bytes: Buffer },
): ObjectRow {
  const { name, contentType, bytes } = content;
  return world.store.put(OBJECTS, account, {
    bucket: bucket.serial,
    name,
    etag: createHash("md5").update(bytes).digest("hex"),
    size: bytes.length,
    content_type: contentType,
    digest: world.blobs.put(bytes),
    modified: world.clock.now(),
    acl: null,
  });
}

export function removeObject(world: World, account: string, object: Readonly<ObjectRow>): void {
  world.store.remove(OBJECTS, account, OBJECTS.key(object));
}

/** Adds outbound bytes to the current month (not-shown section 5). */
export function countOutbound(world: World, account: string, bytes: number): void {
  const month = currentMonth(world);
  world.store.put(OUTBOUND, account, { month, bytes: outboundOf(world, account) + bytes });
}

/** Returns the outbound bytes of the current month. */
export function outboundOf(world: World, account: string): number {
  return world.store.get(OUTBOUND, account, currentMonth(world))?.bytes ?? 0;
}

function currentMonth(world: World): string {
  return new Date(world.clock.now()).toISOString().slice(0, 7);
}
