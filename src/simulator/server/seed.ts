import { ACCOUNTS, newAccount, newUser, NO_GRANTS, TOKENS, USERS } from "./auth/identity.ts";
import type { TokenRow } from "./auth/identity.ts";
import type { SimulatedClock } from "./clock.ts";
import { SHARED } from "./store/store.ts";
import type { Store, Table } from "./store/store.ts";

/** What an area has from the start: a catalog, or what the demo account finds. Exported by a file of the area. */
export interface Seed {
  /** Puts the rows into an empty store. */
  seed(store: Store, now: number): void;
}

export interface SeedOptions {
  /** The token of the unrestricted user of the demo account. */
  readonly token: string;
  readonly seeds: readonly Seed[];
}

/** The account that is there from the start. */
export const DEMO_ACCOUNT = "demo";

/** The second, restricted user of the demo account has the token `<token>-restricted`. */
const RESTRICTED_USER = "demo-restricted";

/** A second account with one user; its token is `<token>-other`. Neither account sees anything of the other. */
const OTHER_ACCOUNT = "other";

/** The OAuth client of the seeded app "Dashboard"; its token `<token>-dashboard` is revoked with the app. */
const OAUTH_CLIENT = "dashboard";

/** Rows that are there from the start, among what all accounts share or of one account. */
export function seedOf<Row extends object>(table: Table<Row>, rows: readonly Row[], account = SHARED): Seed {
  return {
    seed(store) {
      for (const row of rows) store.put(table, account, row);
    },
  };
}

/** Fills an empty store with accounts, their users, and what the areas have from the start; the tokens are put into any. */
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
