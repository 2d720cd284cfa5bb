/** Cloud objects that a user created without the operator. */
import type { JsonObject } from "../../../src/api/types.ts";
import type { CloudName } from "../../../src/core/kind/leaf-class.ts";

/** Names of foreign cloud objects contain this number. Further values of the matrix do not contain the number. */
export const mark = "77001";

/** A row of the cloud API that has a name with the mark. */
export interface Row {
  path: string;
  fields: JsonObject;
}

const place = { region: "us-east", type: "g6-standard-1" };
const id = Number(mark);

const rows: Readonly<Record<string, Row & { name?: string }>> = {
  Address: {
    path: "/networking/ips",
    fields: { address: "198.18.77.1", compute_id: null, region: "us-east", type: "ipv4", public: true, prefix: 24 },
  },
  App: { path: "/profile/apps", fields: { id, label: `app-${mark}`, scopes: "*", created: "2025-01-01T00:00:00" } },
  Bucket: {
    path: "/object-storage/buckets",
    fields: { label: `foreign-${mark}`, cluster: "us-east-1" },
    name: `us-east-1/foreign-${mark}`,
  },
  ComputeInstance: {
    path: "/compute/instances",
    fields: { id, label: "foreign", ...place, status: "running", tags: [] },
  },
  Domain: {
    path: "/domains",
    fields: { id, domain: "foreign.test", type: "master", soa_email: "eve@foreign.test", tags: [] },
  },
  Image: {
    path: "/images",
    fields: { id: `private/${mark}`, label: "foreign", status: "available" },
    name: `private/${mark}`,
  },
  Login: { path: "/profile/logins", fields: { id, ip: "192.0.2.9", created: "2025-01-01T00:00:00" } },
  ManagedMySQL: {
    path: "/databases/mysql/instances",
    fields: { id, label: "foreign", ...place, engine: "mysql/8.0.30", status: "active" },
  },
};

/** Returns the row of a foreign cloud object; undefined for a type without rows in the world in memory. */
export function foreignRow(of: string): Row | undefined {
  return rows[of];
}

/** Returns spellings of a foreign name, as text and as number. */
export function foreignNames({ of }: Pick<CloudName, "of">): unknown[] {
  const { name } = rows[of] ?? {};
  if (name !== undefined) return [name];
  if (of === "Address") return [`2001:db8:${mark.slice(0, 2)}:${mark.slice(2)}::1`, "198.18.77.1"];
  return [mark, id, `foreign-${mark}`];
}

/** Returns true if a text contains a foreign name. */
export function isNamedIn(text: string): boolean {
  return [mark, "2001:db8:77:1::1", "2001:db8:77:001::1", "198.18.77.1"].some((one) => text.includes(one));
}
