import type { z } from "zod";
import type { Caller } from "./auth/caller.ts";
import type { GlobalGrant, GrantCategory, Permission } from "./auth/identity.ts";
import { notFound } from "./errors.ts";
import type { Limit } from "./rate-limits.ts";
import type { Table } from "./store/store.ts";
import type { World } from "./world.ts";

/** The input of a handler: world, caller and checked request. */
export interface Context<Body = unknown> {
  readonly world: World;
  /** ID of the caller's account. No account sees the rows of another account. */
  readonly account: string;
  /** Can be anonymous only if the operation has `auth: "none"` or `"optional"`. */
  readonly caller: Caller;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Address of the client. */
  readonly remoteAddress: string;
  /** The body as sent. */
  readonly rawBody: string;
  /** Epoch milliseconds, constant during the request. */
  readonly now: number;
}

/** One operation of the API as data, with a handler. */
export interface Operation<Body = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Without the version segment, parameters in braces, such as `/compute/instances/{computeId}`. */
  readonly path: string;
  readonly summary: string;
  /** `token` (default) requires a token, `none` ignores tokens, `optional` accepts requests with or without a token. */
  readonly auth?: "token" | "none" | "optional";
  /** Required scopes. Absent: any token is allowed. */
  readonly scopes?: readonly string[];
  /** Only unrestricted users may use the operation. */
  readonly unrestricted?: true;
  /** Global grant that a restricted user needs. */
  readonly grant?: GlobalGrant;
  /**
   * Grant on the entity in the path that a restricted user needs. Without a grant, the response is 404. With a lower
   * permission, the response is 403.
   */
  readonly entity?: { readonly category: GrantCategory; readonly param: string; readonly permission: Permission };
  /** Access to the account that a restricted user needs. */
  readonly accountAccess?: Permission;
  /** Kinds of path parameters. By default, `…Id` is an integer and other names are text. A `slug` can span two segments. */
  readonly params?: Readonly<Record<string, "integer" | "text" | "slug">>;
  /** Only under `v4beta`. */
  readonly beta?: true;
  /** Schema of the body. Absent: the body is ignored. */
  readonly body?: z.ZodType<Body>;
  /** Present for paged lists. The handler must return `rowList(...)`. `filterable` has the fields for `X-Filter`. */
  readonly paged?: { readonly filterable: readonly string[] };
  /** Defaults to 400 requests a minute for a paged list, and 800 for other operations, per operation. */
  readonly limit?: Limit;
  /** The handler can return `undefined`, which becomes 204. */
  readonly mayBeEmpty?: true;
  /** Body and response are JSON of the client, without translation of the brand word. */
  readonly verbatim?: true;
  /**
   * Runs in one transaction and must be synchronous. The return value is the JSON of a 200. `undefined` becomes 204.
   * Throws errors of errors.ts.
   */
  handler(context: Context<Body>): unknown;
}

/** Declares an operation. The schema determines the type of the body in the handler. */
export function operation<Body = unknown>(declared: Operation<Body>): Operation {
  return declared;
}

/** Returns the row with this ID in the caller's account. Throws 404. */
export function rowOf<Row>(context: Context, table: Table<Row>, id: string | number | undefined): Readonly<Row> {
  const row = id === undefined ? undefined : context.world.store.get(table, context.account, id);
  if (row === undefined) throw notFound();
  return row;
}
