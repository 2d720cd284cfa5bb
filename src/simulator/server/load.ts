import { ACCOUNTS, TOKENS, USERS, newAccount, newUser } from "./auth/identity.ts";
import { SHARED } from "./store/store.ts";
import type { Table } from "./store/store.ts";
import type { World } from "./world.ts";

/** The account of a copy. */
const COPY_ACCOUNT = "copy";

/** OAuth client of the token of a copy. */
export const COPY_CLIENT = "personal";

/** The store, account and user that receive the rows of a copy. */
export interface Copy {
  readonly world: World;
  readonly account: string;
  readonly username: string;
}

/** Path parameters of a read, such as `instanceId`. */
export type LoadParams = Readonly<Record<string, string>>;

/**
 * The inverse of a presentation: stores the rows of one response of the API. An area exports the loads of its rows.
 * Hidden values get placeholders.
 */
export interface Load {
  /** Path of the read. A parameter in braces is a field of the rows of the path before it, or their ID. */
  readonly from: string;
  /** True: the response is one object. Default: a list. */
  readonly isSingle?: true;
  readonly beta?: true;
  /** Shared rows that the rows of the response replace. */
  readonly replaces?: Table<never>;
  /** Rows that give the parameters: rows in a response of another load. Defaults to the rows of the path before them. */
  readonly among?: { readonly from: string; readonly rows: (answer: never) => readonly object[] };
  /** Returns false for a row of the path before the parameters that needs no read. */
  readonly needs?: (parent: Readonly<Record<string, unknown>>) => boolean;
  readonly load: (copy: Copy, row: never, params: LoadParams) => void;
}

/** A load of rows of one type. */
interface LoadOf<Row> extends Omit<Load, "load"> {
  readonly load: (copy: Copy, row: Row, params: LoadParams) => void;
}

/** Declares a load with the type of the rows. */
export function loadOf<Row>(load: LoadOf<Row>): Load {
  return load;
}

/** One response of the API, in the neutral word. */
export interface Read {
  readonly from: string;
  readonly params: LoadParams;
  readonly rows: readonly object[];
}

/** Returns a number above every ID of the reads. IDs of new rows start at this number, so that they are recognizable. */
export function firstNewId(reads: readonly Read[]): number {
  const ids = reads.flatMap(({ rows }) =>
    rows.flatMap((row) => ("id" in row && typeof row.id === "number" ? row.id : [])),
  );
  const highest = ids.reduce((most, id) => Math.max(most, id), 0);
  return Math.ceil((highest + 1) / NEW_IDS_FROM) * NEW_IDS_FROM + 1;
}

/** A round number above the IDs of accounts. */
const NEW_IDS_FROM = 900_000_000;

/** Sequences of addresses: the start for the first copy, and the distance of copies of copies. */
const ADDRESSES_FROM = { "public-ipv4": 60_001, "private-ipv4": 16_001, "ipv6-range": 60_001 };
const ADDRESSES_APART = 1_000;

/** Sequences whose numbers are the IDs of rows. */
const SEQUENCES = [
  "app",
  "backup",
  "config",
  "database",
  "database-backup",
  "device",
  "disk",
  "domain",
  "firewall",
  "firewall-device",
  "image",
  "instance",
  "interface",
  "object-storage-key",
  "record",
  "sshkey",
];

/** Stores an account with one user and a token, and the rows of the reads. */
export function loadCopy(
  world: World,
  loads: readonly Load[],
  given: { readonly reads: readonly Read[]; readonly token: string; readonly scopes: string },
): void {
  const { store, clock } = world;
  const username = usernameIn(given.reads);
  store.transaction(() => {
    store.put(ACCOUNTS, SHARED, newAccount(COPY_ACCOUNT, clock.now()));
    store.put(USERS, COPY_ACCOUNT, newUser(username, 1));
    const { token, scopes } = given;
    const of = { label: "copy", account: COPY_ACCOUNT, username, clientId: COPY_CLIENT, revoked: false };
    store.put(TOKENS, SHARED, { token, scopes, ...of });
    const byPath = new Map(loads.map((load) => [load.from, load]));
    for (const { from } of given.reads) {
      const table = byPath.get(from)?.replaces;
      for (const row of table ? store.all(table, SHARED) : []) if (table) store.remove(table, SHARED, table.key(row));
    }
    for (const { from, params, rows } of given.reads)
      for (const row of rows) byPath.get(from)?.load({ world, account: COPY_ACCOUNT, username }, row as never, params);
  });
}

/** Sets the IDs and addresses of later rows. */
export function startNewIds({ store }: World, first: number): void {
  store.transaction(() => {
    for (const name of SEQUENCES) store.setNextId(name, first);
    const copies = Math.floor(first / NEW_IDS_FROM) % 60;
    for (const [name, from] of Object.entries(ADDRESSES_FROM)) store.setNextId(name, from + copies * ADDRESSES_APART);
  });
}

function usernameIn(reads: readonly Read[]): string {
  const profile = reads.find(({ from }) => from === "/profile")?.rows[0];
  const { username = COPY_ACCOUNT } = (profile ?? {}) as { username?: string };
  return username;
}
