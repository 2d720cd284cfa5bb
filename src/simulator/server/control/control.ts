/*
 * The control side: what stands behind the client's back, as functions and over HTTP.
 * Guarantees: it wants a token of its own, and neither limits nor faults meet it.
 * Imports the server's own files; areas add to it by area-control.ts.
 */
import { ACCOUNTS, TOKENS, USERS, newAccount, newUser } from "../auth/identity.ts";
import type { AccountRow, Grants, TokenRow, UserRow } from "../auth/identity.ts";
import type { Faults } from "../faults/faults.ts";
import { ledgerLines } from "../ledger/ledger-stream.ts";
import type { LedgerEntry, LedgerQuery } from "../ledger/ledger.ts";
import { DEMO_ACCOUNT, seedStore } from "../seed.ts";
import type { SeedOptions } from "../seed.ts";
import { SHARED } from "../store/store.ts";
import type { Dump, Table } from "../store/store.ts";
import type { World } from "../world.ts";

/** What stands behind the client's back: time, faults, the ledger, and the rows themselves. Areas add to it (area-control.ts). */
export interface Control {
  readonly faults: Faults;
  ledger(query?: LedgerQuery): LedgerEntry[];
  /** The text of the response to a request, by the ledger's ID; null if it was too long to keep, undefined if there is none. */
  response(id: number): string | null | undefined;
  /** Entries as lines of JSON, those to come as well, until the signal aborts or the simulator ends (ledger-stream.ts). */
  followLedger(query: LedgerQuery, signal: AbortSignal): AsyncGenerator<string>;
  /** The names of all operations, for faults and the ledger. */
  operations(): readonly string[];
  /** Empties the ledger. */
  clearLedger(): void;
  readonly clock: {
    /** Epoch milliseconds of simulated time. */
    now(): number;
    /** Moves time forward and runs what became due. */
    advance(ms: number): void;
    /** Durations of jobs planned from now on are divided by this. */
    setScale(scale: number): void;
    scale(): number;
    /** The `Date` header runs so many seconds ahead of what rows say (`created`), or behind where negative. */
    skewDate(seconds: number): void;
  };
  readonly rateLimits: {
    set(options: { enabled?: boolean; scale?: number }): void;
    get(): { enabled: boolean; scale: number };
  };
  /** Rows of a kind, as stored (names of the areas' tables: `instance`, `disk`, `sshkey`, …); `account` defaults to the seeded one. */
  rows(table: string, account?: string): Record<string, unknown>[];
  /** Changes fields of a stored row without any request. Throws if there is none. */
  change(table: string, id: string | number, fields: Record<string, unknown>, account?: string): void;
  /** The next row of this table gets this id, as where a service uses ids again. Throws while a row has it. */
  setNextId(table: string, next: number, account?: string): void;
  /** Removes a stored row without any request; nothing else goes with it. True if it was there. */
  remove(table: string, id: string | number, account?: string): boolean;
  addAccount(account: Partial<AccountRow> & { id: string }): void;
  addUser(account: string, user: Partial<UserRow> & { username: string }): void;
  /** Restricts a user or frees it, and gives or withdraws grants; what is not named stays. Throws if there is none. */
  changeUser(username: string, change: UserChange, account?: string): void;
  addToken(token: Partial<TokenRow> & { token: string; username: string }): void;
  /** The whole state as data; the ledger is not part of it. */
  snapshot(): Dump;
  restore(dump: Dump): void;
  /** Back to the seed: rows, faults, ledger and counted requests go, ids and the clock go on. */
  reset(): void;
}

export interface UserChange {
  restricted?: boolean | undefined;
  grants?: { [K in keyof Grants]?: Grants[K] | undefined } | undefined;
}

export interface ControlSource {
  readonly seedOptions: SeedOptions;
  /** The names of all operations. */
  readonly operations: readonly string[];
}

export function controlOf(world: World, { seedOptions, operations }: ControlSource): Control {
  const { store, faults, ledger, limits, jobs } = world;
  return {
    faults,
    ledger: (query) => ledger.read(query),
    response: (id) => ledger.responses.of(id),
    followLedger: (query, signal) => ledgerLines(ledger, query, AbortSignal.any([signal, world.ending])),
    operations: () => operations,
    clearLedger: () => ledger.clear(),
    clock: clockControl(world),
    rateLimits: {
      set({ enabled = limits.enabled, scale = limits.scale }) {
        Object.assign(limits, { enabled, scale });
        limits.clear();
      },
      get: () => ({ enabled: limits.enabled, scale: limits.scale }),
    },
    rows: (table, account = DEMO_ACCOUNT) => store.all(anyTable(table), account),
    change: (table, id, fields, account = DEMO_ACCOUNT) => store.change(table, account, id, fields),
    setNextId: (table, next, account = DEMO_ACCOUNT) => setNextId(world, { table, next, account }),
    remove: (table, id, account = DEMO_ACCOUNT) => store.remove(anyTable(table), account, id),
    ...identityControl(world),
    snapshot: () => store.dump(),
    restore(dump) {
      store.restore(dump);
      jobs.wake();
    },
    reset() {
      store.restore({ rows: [], sequences: {} });
      faults.clear();
      ledger.clear();
      limits.clear();
      store.transaction(() => seedStore(store, world.clock, seedOptions));
      jobs.wake();
    },
  };
}

function setNextId({ store }: World, { table, next, account }: { table: string; next: number; account: string }): void {
  if (store.get(anyTable(table), account, next)) throw new Error(`${table} ${next} exists; remove it first`);
  store.transaction(() => store.setNextId(table, next));
}

function clockControl({ clock, jobs }: World): Control["clock"] {
  return {
    now: () => clock.now(),
    advance(ms) {
      clock.advance(ms);
      jobs.runDue();
      jobs.wake();
    },
    setScale(scale) {
      clock.scale = scale;
    },
    scale: () => clock.scale,
    skewDate(seconds) {
      clock.dateSkew = seconds * 1_000;
    },
  };
}

function identityControl({ store, clock }: World): Pick<Control, "addAccount" | "addUser" | "changeUser" | "addToken"> {
  return {
    addAccount(account) {
      store.put(ACCOUNTS, SHARED, { ...newAccount(account.id, clock.now()), ...account });
    },
    addUser(account, user) {
      store.put(USERS, account, { ...newUser(user.username, store.nextId("user", 5001)), ...user });
    },
    changeUser(username, { restricted, grants }, account = DEMO_ACCOUNT) {
      const user = store.get(USERS, account, username);
      if (!user) throw new Error(`there is no user ${username} in account ${account}`);
      const given = Object.entries(grants ?? {}).filter(([, value]) => value !== undefined);
      store.put(USERS, account, {
        ...user,
        restricted: restricted ?? user.restricted,
        grants: { ...user.grants, ...Object.fromEntries(given) },
      });
    },
    addToken(token) {
      const rest = { label: token.username, account: DEMO_ACCOUNT, scopes: "*", clientId: "personal", revoked: false };
      store.put(TOKENS, SHARED, { ...rest, ...token });
    },
  };
}

/** Enough of a table to read and remove rows of a kind that is named at run time. */
function anyTable(name: string): Table<Record<string, unknown>> {
  return { name, key: (row) => String(row["id"]) };
}
