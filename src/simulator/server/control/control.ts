/*
 * The control side: functions and HTTP routes that change the simulator without a client's request.
 * Guarantees: the control side has a separate token. Rate limits and faults do not apply to it.
 * Imports files of the server. Areas add to the control side by area-control.ts.
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

/** Controls time, faults, the ledger and stored rows. Areas add functions (area-control.ts). */
export interface Control {
  readonly faults: Faults;
  ledger(query?: LedgerQuery): LedgerEntry[];
  /**
   * Returns the text of the response to a request, by the ID in the ledger. Null if the text was too long to keep.
   * Undefined if absent.
   */
  response(id: number): string | null | undefined;
  /** Yields present and future entries as lines of JSON, until the signal aborts or the simulator closes (ledger-stream.ts). */
  followLedger(query: LedgerQuery, signal: AbortSignal): AsyncGenerator<string>;
  /** Returns the names of all operations, for faults and the ledger. */
  operations(): readonly string[];
  clearLedger(): void;
  readonly clock: {
    /** Returns simulated time in epoch milliseconds. */
    now(): number;
    /** Moves time forward and runs due jobs. */
    advance(ms: number): void;
    /** Sets the divisor of the durations of future jobs. */
    setScale(scale: number): void;
    scale(): number;
    /** Sets the seconds that the `Date` header is ahead of timestamps in rows. Negative: behind. */
    skewDate(seconds: number): void;
  };
  readonly rateLimits: {
    set(options: { enabled?: boolean; scale?: number }): void;
    get(): { enabled: boolean; scale: number };
  };
  /** Returns the stored rows of a table, such as `instance`, `disk` or `sshkey`. `account` defaults to the demo account. */
  rows(table: string, account?: string): Record<string, unknown>[];
  /** Changes fields of a stored row without a request. Throws if the row does not exist. */
  change(table: string, id: string | number, fields: Record<string, unknown>, account?: string): void;
  /** Sets the ID of the next row, to simulate a service that reuses IDs. Throws if a row has the ID. */
  setNextId(table: string, next: number, account?: string): void;
  /** Deletes a stored row without a request. Dependent rows stay. Returns true if the row existed. */
  remove(table: string, id: string | number, account?: string): boolean;
  addAccount(account: Partial<AccountRow> & { id: string }): void;
  addUser(account: string, user: Partial<UserRow> & { username: string }): void;
  /** Restricts or unrestricts a user, and changes grants. Omitted grants stay. Throws if the user does not exist. */
  changeUser(username: string, change: UserChange, account?: string): void;
  addToken(token: Partial<TokenRow> & { token: string; username: string }): void;
  /** Returns the whole state as data, without the ledger. */
  snapshot(): Dump;
  restore(dump: Dump): void;
  /** Restores the initial rows. Deletes faults, ledger and request counts. IDs and the clock continue. */
  reset(): void;
}

export interface UserChange {
  restricted?: boolean | undefined;
  grants?: { [K in keyof Grants]?: Grants[K] | undefined } | undefined;
}

export interface ControlSource {
  readonly seedOptions: SeedOptions;
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

/** Returns a table that can read and delete rows of a name known only at run time. */
function anyTable(name: string): Table<Record<string, unknown>> {
  return { name, key: (row) => String(row["id"]) };
}
