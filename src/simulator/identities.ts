import { createHash } from "node:crypto";
import { NO_GRANTS } from "./tables/identity.ts";
import type { AccountRow, UserRow } from "./tables/identity.ts";

/** A customer in good standing. */
export function newAccount(id: string, now: number): AccountRow {
  return {
    id,
    euuid: uuidOf(`account ${id}`),
    company: `${id} company`,
    email: `${id}@example.com`,
    balance: 0,
    balance_uninvoiced: 0,
    activeSince: now,
    capabilities: ["Compute", "Managed Databases", "Object Storage", "Vlans", "Cloud Firewall", "Block Storage"],
    greenlight: false,
  };
}

/** An unrestricted user. */
export function newUser(username: string, uid: number): UserRow {
  return {
    username,
    uid,
    email: `${username}@example.com`,
    restricted: false,
    grants: NO_GRANTS,
    authorized_keys: null,
    email_notifications: true,
    lish_auth_method: "keys_only",
    timezone: "UTC",
    two_factor_auth: false,
    verified_phone_number: null,
  };
}

/** The same UUID for the same name, so that a seeded account has one identity in every run. */
export function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
