import type { Acl, BucketRow, ObjectRow } from "./tables.ts";

type AclPermission = "FULL_CONTROL" | "READ" | "WRITE";

/** Grants of an ACL to groups. `custom` grants no access, because only the bucket protocol could define its grants. */
const GRANTS: Readonly<Record<Acl, readonly { group: string; permissions: readonly AclPermission[] }[]>> = {
  private: [],
  "public-read": [{ group: "AllUsers", permissions: ["READ"] }],
  "authenticated-read": [{ group: "AuthenticatedUsers", permissions: ["READ"] }],
  "public-read-write": [{ group: "AllUsers", permissions: ["READ", "WRITE"] }],
  custom: [],
};

/** Returns the ACL of an object. Defaults to the ACL of the bucket. */
export function aclOf(bucket: Readonly<BucketRow>, object: Readonly<ObjectRow> | undefined): Acl {
  return object?.acl ?? bucket.acl;
}

/** Returns true if the ACL permits an unsigned request. */
export function isPublic(acl: Acl, permission: "READ" | "WRITE"): boolean {
  return GRANTS[acl].some(({ group, permissions }) => group === "AllUsers" && permissions.includes(permission));
}

/** Returns the ACL as XML of the bucket protocol. */
export function aclXml(owner: string, acl: Acl): string {
  const grants = GRANTS[acl].flatMap(({ group, permissions }) =>
    permissions.map((permission) =>
      grant("Group", `<URI>http://acs.example.com/groups/global/${group}</URI>`, permission),
    ),
  );
  const own = grant("CanonicalUser", `<ID>${owner}</ID>`, "FULL_CONTROL");
  const list = `<AccessControlList>${[own, ...grants].join("")}</AccessControlList>`;
  return `<AccessControlPolicy><Owner><ID>${owner}</ID></Owner>${list}</AccessControlPolicy>`;
}

/** Returns the CORS settings as XML of the bucket protocol. Empty if CORS is off. */
export function corsXml(enabled: boolean): string {
  if (!enabled) return "";
  const methods = ["GET", "PUT", "DELETE", "HEAD", "POST"].map((method) => `<AllowedMethod>${method}</AllowedMethod>`);
  const rule = `${methods.join("")}<AllowedOrigin>*</AllowedOrigin><AllowedHeader>*</AllowedHeader>`;
  return `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`;
}

function grant(type: string, grantee: string, permission: AclPermission): string {
  const attributes = `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`;
  return `<Grant><Grantee ${attributes}>${grantee}</Grantee><AclPermission>${permission}</AclPermission></Grant>`;
}
