import * as z from "zod";
import type { Operation } from "../server/operation.ts";
import { optional } from "../server/wire.ts";
import { aclXml, corsXml } from "./acl.ts";
import { bucketOperation } from "./bucket-operation.ts";
import { ACLS, BUCKETS } from "./tables.ts";

const accessBody = z.object({ acl: optional(z.enum(ACLS)), cors_enabled: optional(z.boolean()) });

/**
 * Serves ACL and CORS of a bucket (part 3 section 4.1, not-shown section 5). POST and PUT both change only the fields
 * in the body.
 */
export const bucketAccessOperations = [
  bucketOperation({
    method: "GET",
    below: "/access",
    summary: "View ACL and CORS of a bucket",
    handler: ({ account }, { acl, cors_enabled }) => ({
      acl,
      acl_xml: aclXml(account, acl),
      cors_enabled,
      cors_xml: corsXml(cors_enabled),
    }),
  }),
  change("POST", "Modify ACL or CORS of a bucket"),
  change("PUT", "Update ACL and CORS of a bucket"),
];

function change(method: "POST" | "PUT", summary: string): Operation {
  return bucketOperation({
    method,
    below: "/access",
    summary,
    body: accessBody,
    handler({ world, account, body }, bucket) {
      const { acl = bucket.acl, cors_enabled = bucket.cors_enabled } = body;
      world.store.put(BUCKETS, account, { ...bucket, acl, cors_enabled });
      return {};
    },
  });
}
