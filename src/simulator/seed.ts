import { images, stackScripts } from "./catalogs/images.ts";
import { pools } from "./catalogs/pools.ts";
import { betas, engines, kernels, objectStorageClusters } from "./catalogs/platform.ts";
import { availability, regions } from "./catalogs/regions.ts";
import { computeTypes } from "./catalogs/types.ts";
import type { SimulatedClock } from "./clock.ts";
import { newAccount, newUser } from "./identities.ts";
import { seedTraces } from "./profile/traces.ts";
import { SHARED } from "./store.ts";
import type { Store, Table } from "./store.ts";
import * as catalog from "./tables/catalog.ts";
import { IMAGES } from "./tables/compute.ts";
import { ACCOUNTS, NO_GRANTS, TOKENS, USERS } from "./tables/identity.ts";
import type { TokenRow } from "./tables/identity.ts";
import { IPV6_POOLS } from "./tables/network.ts";

export interface SeedOptions {
  /** The token of the unrestricted user of the demo account. */
  readonly token: string;
}

/** The account that is there from the start. */
export const DEMO_ACCOUNT = "demo";

/** The second, restricted user of the demo account has the token `<token>-restricted`. */
export const RESTRICTED_USER = "demo-restricted";

/** A second account with one user; its token is `<token>-other`. Neither account sees anything of the other. */
export const OTHER_ACCOUNT = "other";

/** The OAuth client of the seeded app "Dashboard"; its token `<token>-dashboard` is revoked with the app. */
const OAUTH_CLIENT = "dashboard";

/** Fills an empty store: catalogs, accounts with their users, and their tokens. Answers false if it was filled. */
export function seed(store: Store, clock: SimulatedClock, options: SeedOptions): boolean {
  const isNew = store.get(ACCOUNTS, SHARED, DEMO_ACCOUNT) === undefined;
  if (isNew) {
    seedCatalogs(store);
    store.put(ACCOUNTS, SHARED, newAccount(DEMO_ACCOUNT, clock.now()));
    store.put(USERS, DEMO_ACCOUNT, newUser(DEMO_ACCOUNT, store.nextId("user", 5001)));
    const restricted = { ...newUser(RESTRICTED_USER, store.nextId("user", 5001)), restricted: true, grants: NO_GRANTS };
    store.put(USERS, DEMO_ACCOUNT, restricted);
    seedTraces(store, DEMO_ACCOUNT, DEMO_ACCOUNT, clock.now());
    for (const pool of pools) store.put(IPV6_POOLS, DEMO_ACCOUNT, pool);
    store.put(ACCOUNTS, SHARED, newAccount(OTHER_ACCOUNT, clock.now()));
    store.put(USERS, OTHER_ACCOUNT, newUser(OTHER_ACCOUNT, store.nextId("user", 5001)));
  }
  putToken(store, options.token, { username: DEMO_ACCOUNT });
  putToken(store, `${options.token}-restricted`, { username: RESTRICTED_USER });
  putToken(store, `${options.token}-dashboard`, { username: DEMO_ACCOUNT, label: "Dashboard", clientId: OAUTH_CLIENT });
  putToken(store, `${options.token}-other`, { username: OTHER_ACCOUNT, account: OTHER_ACCOUNT });
  return isNew;
}

function putToken(store: Store, token: string, of: Partial<TokenRow> & { username: string }): void {
  const rest = { label: of.username, account: DEMO_ACCOUNT, scopes: "*", clientId: "personal", revoked: false };
  if (!store.get(TOKENS, SHARED, token)) store.put(TOKENS, SHARED, { token, ...rest, ...of });
}

function seedCatalogs(store: Store): void {
  putAll(store, catalog.REGIONS, regions);
  putAll(store, catalog.AVAILABILITY, availability);
  putAll(store, catalog.COMPUTE_TYPES, computeTypes);
  putAll(store, catalog.KERNELS, kernels);
  putAll(store, catalog.ENGINES, engines);
  putAll(store, catalog.OBJECT_STORAGE_CLUSTERS, objectStorageClusters);
  putAll(store, catalog.BETAS, betas);
  putAll(store, catalog.STACK_SCRIPTS, stackScripts);
  putAll(store, IMAGES, images);
}

function putAll<Row extends object>(store: Store, table: Table<Row>, rows: readonly Row[]): void {
  for (const row of rows) store.put(table, SHARED, row);
}
