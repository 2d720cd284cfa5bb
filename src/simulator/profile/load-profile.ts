import { ACCOUNTS, GRANT_CATEGORIES, USERS } from "../server/auth/identity.ts";
import type { AccountRow, GrantCategory, Permission, UserRow } from "../server/auth/identity.ts";
import { COPY_CLIENT, loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { SHARED } from "../server/store/store.ts";
import { epoch } from "../server/wire.ts";
import { APPS, DEVICES, LOGINS, PREFERENCES, SECURITY_ANSWERS, SSH_KEYS } from "./tables.ts";
import type { AppRow, DeviceRow, LoginRow, SSHKeyRow } from "./tables.ts";

type Stamped<Row, Times extends keyof Row> = Omit<Row, Times> & Record<Times, string>;

interface ShownGrants {
  readonly global: Readonly<Record<string, unknown>>;
  readonly [category: string]: unknown;
}

/** Loads the account, and the rows of the calling user. */
export const profileLoads: readonly Load[] = [
  loadOf<Partial<Omit<AccountRow, "id" | "activeSince">> & { active_since?: string }>({
    from: "/account",
    isSingle: true,
    load({ world, account }, { company, email, balance, balance_uninvoiced, capabilities, euuid, active_since }) {
      const before = world.store.get(ACCOUNTS, SHARED, account);
      if (!before) return;
      const given = { company, email, balance, balance_uninvoiced, capabilities, euuid };
      const known = Object.entries(given).filter(([, value]) => value !== undefined);
      const activeSince = active_since === undefined ? before.activeSince : epoch(active_since);
      world.store.put(ACCOUNTS, SHARED, { ...before, ...Object.fromEntries(known), activeSince });
    },
  }),
  loadOf<Partial<UserRow>>({
    from: "/profile",
    isSingle: true,
    load({ world, account, username }, shown) {
      const before = world.store.get(USERS, account, username);
      if (!before) return;
      const known = Object.keys(before).filter((name) => name !== "grants" && name in shown);
      const fields = Object.fromEntries(known.map((name) => [name, shown[name as keyof UserRow]]));
      world.store.put(USERS, account, { ...before, ...fields });
    },
  }),
  loadOf<ShownGrants>({
    from: "/profile/grants",
    isSingle: true,
    load({ world, account, username }, shown) {
      const { account_access, ...global } = shown.global;
      const held = GRANT_CATEGORIES.map((category) => [category, permissionsOf(shown, category)] as const);
      const grants = {
        account_access: account_access as Permission | null,
        global,
        entities: Object.fromEntries(held),
      };
      world.store.patch(USERS, account, username, { grants });
    },
  }),
  loadOf<Stamped<Omit<SSHKeyRow, "username">, "created">>({
    from: "/profile/sshkeys",
    load({ world, account, username }, { id, label, ssh_key, created }) {
      world.store.put(SSH_KEYS, account, { id, username, label, ssh_key, created: epoch(created) });
    },
  }),
  loadOf<Omit<AppRow, "created" | "expiry"> & { created: string; expiry: string | null }>({
    from: "/profile/apps",
    load({ world, account, username }, { id, label, scopes, website, thumbnail_url, created, expiry }) {
      const times = { created: epoch(created), expiry: expiry === null ? null : epoch(expiry) };
      const clientId = `app ${id}`;
      world.store.put(APPS, account, { id, username, clientId, label, scopes, website, thumbnail_url, ...times });
    },
  }),
  loadOf<Stamped<DeviceRow, "created" | "last_authenticated" | "expiry">>({
    from: "/profile/devices",
    load({ world, account, username }, { id, user_agent, last_remote_addr, created, last_authenticated, expiry }) {
      const times = {
        created: epoch(created),
        last_authenticated: epoch(last_authenticated),
        expiry: epoch(expiry),
      };
      world.store.put(DEVICES, account, { id, username, user_agent, last_remote_addr, ...times });
    },
  }),
  loadOf<Stamped<LoginRow, "datetime">>({
    from: "/profile/logins",
    load({ world, account }, shown) {
      world.store.put(LOGINS, account, { ...shown, datetime: epoch(shown.datetime) });
    },
  }),
  loadOf<Record<string, unknown>>({
    from: "/profile/preferences",
    isSingle: true,
    load({ world, account, username }, preferences) {
      world.store.put(PREFERENCES, account, { username, clientId: COPY_CLIENT, preferences });
    },
  }),
  loadOf<{ security_questions: { id: number; response: string | null }[] }>({
    from: "/profile/security-questions",
    isSingle: true,
    load({ world, account, username }, { security_questions }) {
      for (const { id: question, response } of security_questions)
        if (response !== null) world.store.put(SECURITY_ANSWERS, account, { username, question, response });
    },
  }),
];

function permissionsOf(shown: ShownGrants, category: GrantCategory): Record<string, Permission> {
  const rows = (shown[category] ?? []) as { id: number; permissions: Permission | null }[];
  return Object.fromEntries(
    rows.flatMap(({ id, permissions }) => (permissions === null ? [] : [[String(id), permissions] as const])),
  );
}
