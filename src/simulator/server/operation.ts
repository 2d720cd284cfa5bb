import type { z } from "zod";
import type { Caller } from "./auth/caller.ts";
import type { GlobalGrant, GrantCategory, Permission } from "./auth/identity.ts";
import { notFound } from "./errors.ts";
import type { Limit } from "./rate-limits.ts";
import type { Table } from "./store/store.ts";
import type { World } from "./world.ts";

/** What a handler gets: the service, who calls, and the checked request. */
export interface Context<Body = unknown> {
  readonly world: World;
  /** The calling account's id; the rows of one account are never seen by another. */
  readonly account: string;
  /** Only an operation with `auth: "none"` or `"optional"` may find this to be anonymous. */
  readonly caller: Caller;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The address that the request comes from. */
  readonly remoteAddress: string;
  /** The body as it was sent. */
  readonly rawBody: string;
  /** Epoch milliseconds; the same during the whole request. */
  readonly now: number;
}

/** One operation of the API as data, but for its handler. */
export interface Operation<Body = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the version segment, parameters in braces: `/compute/instances/{computeId}`. */
  readonly path: string;
  readonly summary: string;
  /** `token` (default), `none` (a token is ignored), `optional` (the handler looks). */
  readonly auth?: "token" | "none" | "optional";
  /** Scopes, all of them wanted; absent: any token will do. */
  readonly scopes?: readonly string[];
  /** Reserved for unrestricted users. */
  readonly unrestricted?: true;
  /** A global grant that a restricted user needs. */
  readonly grant?: GlobalGrant;
  /** The entity of the path that a restricted user needs a grant on: unseen is a 404, too little is a 403. */
  readonly entity?: { readonly category: GrantCategory; readonly param: string; readonly permission: Permission };
  /** A restricted user needs this access to the account. */
  readonly accountAccess?: Permission;
  /** Kinds of path parameters that are not told by their name (`…Id` is an integer, others are text). `slug` may span two segments. */
  readonly params?: Readonly<Record<string, "integer" | "text" | "slug">>;
  /** Only under `v4beta`. */
  readonly beta?: true;
  /** Schema of the body; absent: a body is ignored. */
  readonly body?: z.ZodType<Body>;
  /** Present on paged lists: the handler answers `rowList(...)`; the names are what `X-Filter` may use. */
  readonly paged?: { readonly filterable: readonly string[] };
  /** Default: 400 a minute for a paged list, 800 a minute for others, per operation. */
  readonly limit?: Limit;
  /** The handler may answer `undefined`, a 204. */
  readonly mayBeEmpty?: true;
  /** Body and answer are the client's own JSON: the brand word is not looked for. */
  readonly verbatim?: true;
  /**
   * Runs inside one transaction; must be synchronous. What it returns is the JSON answer with status 200; `undefined` is a 204.
   * Throws what errors.ts offers.
   */
  handler(context: Context<Body>): unknown;
}

/** Declares an operation; the body's type in the handler follows from its schema. */
export function operation<Body = unknown>(declared: Operation<Body>): Operation {
  return declared;
}

/** The row of this id in the caller's account, or 404. */
export function rowOf<Row>(context: Context, table: Table<Row>, id: string | number | undefined): Readonly<Row> {
  const row = id === undefined ? undefined : context.world.store.get(table, context.account, id);
  if (row === undefined) throw notFound();
  return row;
}
