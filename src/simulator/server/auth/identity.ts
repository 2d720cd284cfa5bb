import type { Table } from "../store/store.ts";
import { uuidOf } from "../uuid.ts";

export type Permission = "read_only" | "read_write";

/** Categories of entities in grants (part 1 section 2.5). */
export const GRANT_CATEGORIES = [
  "database",
  "domain",
  "image",
  "compute",
  "longview",
  "nodebalancer",
  "stackscript",
  "volume",
  "firewall",
] as const;
export type GrantCategory = (typeof GRANT_CATEGORIES)[number];

/** Global grants that are true or false (part 1 section 2.5). */
export const GLOBAL_GRANTS = [
  "add_databases",
  "add_domains",
  "add_firewalls",
  "add_images",
  "add_computes",
  "add_longview",
  "add_nodebalancers",
  "add_stackscripts",
  "add_volumes",
  "cancel_account",
  "longview_subscription",
] as const;
export type GlobalGrant = (typeof GLOBAL_GRANTS)[number];

export interface Grants {
  readonly account_access: Permission | null;
  readonly global: Readonly<Partial<Record<GlobalGrant, boolean>>>;
  /** Permission by entity ID. Without an entry, the user cannot see the entity. */
  readonly entities: Readonly<Partial<Record<GrantCategory, Readonly<Record<string, Permission>>>>>;
}

/** The account of a customer. Stored with the shared rows. */
export interface AccountRow {
  readonly id: string;
  readonly euuid: string;
  readonly company: string;
  readonly email: string;
  readonly balance: number;
  readonly balance_uninvoiced: number;
  readonly activeSince: number;
  readonly capabilities: readonly string[];
  /** True for an account in the early-access program (part 2 section 4.9). */
  readonly greenlight: boolean;
  /** True if the account has a higher limit for creating instances. */
  readonly raisedLimits?: boolean;
}

/** A user of an account, with the profile fields of part 1 section 2.4. */
export interface UserRow {
  readonly username: string;
  readonly uid: number;
  readonly email: string;
  readonly restricted: boolean;
  readonly grants: Grants;
  readonly authorized_keys: readonly string[] | null;
  readonly email_notifications: boolean;
  readonly lish_auth_method: "password_keys" | "keys_only" | "disabled";
  readonly timezone: string;
  readonly two_factor_auth: boolean;
  readonly verified_phone_number: string | null;
}

/** A token. Stored with the shared rows, because the token determines the account. */
export interface TokenRow {
  readonly token: string;
  readonly label: string;
  readonly account: string;
  readonly username: string;
  /** `*`, or scopes such as `compute:read_write`, separated by spaces. */
  readonly scopes: string;
  /** OAuth client of the token. A personal access token has the client `personal`. */
  readonly clientId: string;
  readonly revoked: boolean;
  /** Time of expiry in epoch milliseconds. Absent or null: the token does not expire. */
  readonly expiry?: number | null;
}

export const ACCOUNTS: Table<AccountRow> = { name: "account", key: (row) => row.id };
export const USERS: Table<UserRow> = { name: "user", key: (row) => row.username };
export const TOKENS: Table<TokenRow> = { name: "token", key: (row) => row.token };
export const NO_GRANTS: Grants = { account_access: null, global: {}, entities: {} };

/** Returns an account with balance 0 and all usual capabilities. */
export function newAccount(id: string, now: number): AccountRow {
  return {
    id,
    euuid: uuidOf(`account ${id}`),
    company: `${id} company`,
    email: `${id}@example.com`,
    balance: 0,
    balance_uninvoiced: 0,
    activeSince: now,
    capabilities: [
      "Compute",
      "NodeBalancers",
      "Block Storage",
      "Object Storage",
      "Kubernetes",
      "Cloud Firewall",
      "Vlans",
      "Machine Images",
      "Managed Databases",
      "VPCs",
      "Placement Group",
      "Disk Encryption",
    ],
    greenlight: false,
  };
}

/** Returns an unrestricted user. */
export function newUser(username: string, uid: number): UserRow {
  return {
    username,
    uid,
    email: `${username}@example.com`,
    restricted: false,
    grants: NO_GRANTS,
    authorized_keys: null,
    email_notifications: true,
    lish_auth_method: "password_keys",
    timezone: "UTC",
    two_factor_auth: false,
    verified_phone_number: null,
  };
}
