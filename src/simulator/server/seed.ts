import { ACCOUNTS, newAccount, newUser, NO_GRANTS, TOKENS, USERS } from "./auth/identity.ts";
import type { TokenRow } from "./auth/identity.ts";
import type { SimulatedClock } from "./clock.ts";
import { SHARED } from "./store/store.ts";
import type { Store, Table } from "./store/store.ts";

/** Initial rows of an area. A file of the area exports the seed. */
export interface Seed {
  /** Writes the rows to an empty store. */
  seed(store: Store, now: number): void;
}

export interface SeedOptions {
  /** Token of the unrestricted user of the demo account. */
  readonly token: string;
  readonly seeds: readonly Seed[];
}

/** The main account of the initial rows. */
export const DEMO_ACCOUNT = "demo";

/** A restricted user of the demo account, with the token `<token>-restricted`. */
const RESTRICTED_USER = "demo-restricted";

/** A second account with one user and the token `<token>-other`, to test the separation of accounts. */
const OTHER_ACCOUNT = "other";

/** OAuth client of the app "Dashboard". Revoking the app revokes the token `<token>-dashboard`. */
const OAUTH_CLIENT = "dashboard";

/** Returns a seed of shared rows, or of one account's rows. */
export function seedOf<Row extends object>(table: Table<Row>, rows: readonly Row[], account = SHARED): Seed {
  return {
    seed(store) {
      for (const row of rows) store.put(table, account, row);
    },
  };
}

/** Writes accounts, users and the rows of the areas to an empty store. Writes tokens to any store. */
export function seedStore(store: Store, clock: SimulatedClock, { token, seeds }: SeedOptions): void {
  if (store.get(ACCOUNTS, SHARED, DEMO_ACCOUNT) === undefined) {
    for (const each of seeds) each.seed(store, clock.now());
    store.put(ACCOUNTS, SHARED, newAccount(DEMO_ACCOUNT, clock.now()));
    store.put(USERS, DEMO_ACCOUNT, newUser(DEMO_ACCOUNT, store.nextId("user", 5001)));
    const restricted = { ...newUser(RESTRICTED_USER, store.nextId("user", 5001)), restricted: true, grants: NO_GRANTS };
    store.put(USERS, DEMO_ACCOUNT, restricted);
    store.put(ACCOUNTS, SHARED, newAccount(OTHER_ACCOUNT, clock.now()));
    store.put(USERS, OTHER_ACCOUNT, newUser(OTHER_ACCOUNT, store.nextId("user", 5001)));
  }
  putToken(store, token, { username: DEMO_ACCOUNT });
  putToken(store, `${token}-restricted`, { username: RESTRICTED_USER });
  putToken(store, `${token}-dashboard`, { username: DEMO_ACCOUNT, label: "Dashboard", clientId: OAUTH_CLIENT });
  putToken(store, `${token}-other`, { username: OTHER_ACCOUNT, account: OTHER_ACCOUNT });
}

function putToken(store: Store, token: string, of: Partial<TokenRow> & { username: string }): void {
  const rest = { label: of.username, account: DEMO_ACCOUNT, scopes: "*", clientId: "personal", revoked: false };
  if (!store.get(TOKENS, SHARED, token)) store.put(TOKENS, SHARED, { token, ...rest, ...of });
}
