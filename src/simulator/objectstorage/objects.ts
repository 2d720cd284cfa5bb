import * as z from "zod";
import { invalid, notFound } from "../server/errors.ts";
import { pageRequest } from "../server/lists/paging.ts";
import type { Context } from "../server/operation.ts";
import { optional, timestamp } from "../server/wire.ts";
import { aclOf, aclXml } from "./acl.ts";
import { bucketOperation } from "./bucket-operation.ts";
import { contentsPage } from "./contents.ts";
import { SIGNED_METHODS, needsContentType, objectUrl } from "./object-url.ts";
import { objectOf, objectsOf } from "./stored-objects.ts";
import { ACLS, OBJECTS } from "./tables.ts";
import type { BucketRow, ObjectRow } from "./tables.ts";

const name = z
  .string()
  .min(1, "Length must be 1-1024 bytes")
  .refine((text) => Buffer.byteLength(text) <= 1024, {
    message: "Length must be 1-1024 bytes",
  });
const seconds = z.int().min(360, "Must be between 360 and 86400").max(86_400, "Must be between 360 and 86400");

const urlBody = z.object({
  content_type: optional(z.string()),
  expires_in: optional(seconds),
  method: z.enum(SIGNED_METHODS),
  name,
});

/** Serves the objects of a bucket: ACL, contents, pre-signed URLs (part 3 section 4.1, not-shown section 5). */
export const objectOperations = [
  bucketOperation({
    method: "GET",
    below: "/object-acl",
    summary: "View the ACL of an object",
    handler(context, bucket) {
      const { name: wanted } = context.query;
      if (wanted === undefined) throw invalid("name", "name is required");
      return presentAcl(context, bucket, existing(context, bucket, wanted));
    },
  }),
  bucketOperation({
    method: "PUT",
    below: "/object-acl",
    summary: "Set the ACL of an object",
    body: z.object({ acl: z.enum(ACLS), name }),
    handler(context, bucket) {
      const { world, account, body } = context;
      const object = { ...existing(context, bucket, body.name), acl: body.acl };
      return presentAcl(context, bucket, world.store.put(OBJECTS, account, object));
    },
  }),
  bucketOperation({
    method: "GET",
    below: "/object-list",
    summary: "List the contents of a bucket",
    handler({ world, account, query }, bucket) {
      const { marker, delimiter, prefix } = query;
      const { pageSize } = pageRequest({ page_size: query["page_size"] ?? "100" });
      const objects = objectsOf(world, account, bucket);
      const page = contentsPage(objects, { marker, delimiter, prefix, pageSize });
      const data = page.entries.map((entry) => (typeof entry === "string" ? { name: entry } : present(account, entry)));
      return { data, next_marker: page.nextMarker, is_truncated: page.nextMarker !== null };
    },
  }),
  bucketOperation({
    method: "POST",
    below: "/object-url",
    summary: "Make a pre-signed URL",
    body: urlBody,
    handler(context, bucket) {
      const { world, account, body, now } = context;
      const { method, expires_in: lifetime = 3600, content_type: contentType } = body;
      if (needsContentType(method) && contentType === undefined)
        throw invalid("content_type", `content_type is required for ${method}`);
      const url = objectUrl(world, bucket, { method, name: body.name, contentType, expiresAt: now + lifetime * 1000 });
      return { url, exists: objectOf(world, account, bucket, body.name) !== undefined };
    },
  }),
];

function existing({ world, account }: Context, bucket: Readonly<BucketRow>, wanted: string): Readonly<ObjectRow> {
  const object = objectOf(world, account, bucket, wanted);
  if (!object) throw notFound();
  return object;
}

function presentAcl({ account }: Context, bucket: Readonly<BucketRow>, object: Readonly<ObjectRow>): unknown {
  const acl = aclOf(bucket, object);
  return { acl, acl_xml: aclXml(account, acl) };
}

/** Returns an object in the form of the API. Only `last_modified` has a time zone (not-shown section 8). */
function present(owner: string, { name: own, etag, modified, size }: ObjectRow): Record<string, unknown> {
  return { name: own, etag, last_modified: `${timestamp(modified)}Z`, owner, size };
}
