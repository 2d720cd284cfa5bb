/** Access to a stored object: not-shown, section 5. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { bucketPath } from "./bucket-spec.ts";

const wireACL = z.object({ acl: z.string() });

/** Returns the path that shows the access to an object. */
export function aclPath(bucket: string, name: string): string {
  return `${bucketPath(bucket)}/object-acl?name=${encodeURIComponent(name)}`;
}

/** Returns the access. Undefined if the response is unreadable. */
export function aclIn(answer: Json | undefined): string | undefined {
  return wireACL.safeParse(answer).data?.acl;
}

/** Returns the request that sets the access. Empty without a difference. */
export function aclCalls(bucket: string, wanted: { acl: string; name: string }, current: Json | undefined): Call[] {
  const { acl, name } = wanted;
  const found = aclIn(current);
  if (acl === found) return [];
  const path = `${bucketPath(bucket)}/object-acl`;
  const changes = [{ field: "acl", observed: found, desired: acl }];
  return [
    {
      method: "PUT",
      path,
      body: { acl, name },
      action: "UpdateACL",
      note: `acl: ${found ?? "nothing"} → ${acl}`,
      changes,
    },
  ];
}
