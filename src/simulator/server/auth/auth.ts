/*
 * Checks callers and permissions: tokens with scopes, users with grants.
 * Guarantees: an entity that the caller may not read is a 404, and a change to an entity that the caller may only read is a 403.
 * Imports the store and the type of operations.
 */
import { ApiError, forbidden, notFound, unauthenticated } from "../errors.ts";
import type { Context, Operation } from "../operation.ts";
import { SHARED } from "../store/store.ts";
import type { World } from "../world.ts";
import { ANONYMOUS } from "./caller.ts";
import type { Caller } from "./caller.ts";
import { TOKENS, USERS } from "./identity.ts";
import type { GlobalGrant, GrantCategory, Permission, TokenRow } from "./identity.ts";

/** Returns the caller from the `Authorization` header. Throws 401. */
export function authenticate({ store, clock, brand }: World, operation: Operation, header: string | undefined): Caller {
  if (operation.auth === "none") return ANONYMOUS;
  if (header === undefined && operation.auth === "optional") return ANONYMOUS;
  const [scheme, secret] = (header ?? "").split(" ");
  const token = scheme?.toLowerCase() === "bearer" && secret ? store.get(TOKENS, SHARED, secret) : undefined;
  const user = token && isAlive(token, clock.now()) ? store.get(USERS, token.account, token.username) : undefined;
  if (!token || !user) throw unauthenticated();
  // The control side can write scopes with the brand word.
  const { scopes } = brand.inbound({ scopes: token.scopes }) as { scopes: string };
  return { anonymous: false, token: scopes === token.scopes ? token : { ...token, scopes }, user };
}

/** Throws 403 if the token lacks a scope, or the user lacks a grant for the operation. */
export function authorize(operation: Operation, caller: Caller): void {
  if (caller.anonymous) return;
  for (const wanted of operation.scopes ?? []) {
    if (!hasScope(caller.token.scopes, wanted))
      throw forbidden("Your OAuth token is not authorized to use this endpoint.");
  }
  if (!caller.user.restricted) return;
  if (operation.unrestricted) throw forbidden("Unauthorized: only for unrestricted users");
  if (operation.grant && !caller.user.grants.global[operation.grant]) throw missingGrant(operation.grant);
  const { accountAccess } = operation;
  if (accountAccess && !covers(caller.user.grants.account_access, accountAccess)) throw missingGrant("account_access");
}

/** Throws 404 if the user may not read the entity, and 403 if the user may only read the entity. */
export function authorizeEntity(
  caller: Caller,
  category: GrantCategory,
  id: string | number,
  wanted: Permission,
): void {
  const held = permissionOn(caller, category, id);
  if (held === undefined) throw notFound();
  if (!covers(held, wanted)) throw new ApiError(403, [{ reason: "Unauthorized: read_write access is needed" }]);
}

/** Returns true if the user has the permission on the entity. Used for entities in a request body. */
export function permits(caller: Caller, category: GrantCategory, id: string | number, wanted: Permission): boolean {
  return covers(permissionOn(caller, category, id) ?? null, wanted);
}

/** Returns the rows that the user may read. */
export function visible<Row>(
  context: Context,
  category: GrantCategory,
  rows: readonly Row[],
  id: (row: Row) => string | number,
): readonly Row[] {
  if (!context.caller.user.restricted) return rows;
  return rows.filter((row) => permissionOn(context.caller, category, id(row)) !== undefined);
}

/** Grants read_write on a new entity to the restricted user who created it. */
export function grantToCreator(
  context: Pick<Context, "world" | "caller">,
  category: GrantCategory,
  id: string | number,
): void {
  const { user, token } = context.caller;
  if (!user.restricted) return;
  const entities = {
    ...user.grants.entities,
    [category]: { ...user.grants.entities[category], [id]: "read_write" as const },
  };
  context.world.store.patch(USERS, token.account, user.username, { grants: { ...user.grants, entities } });
}

/** Throws 403 unless the user is unrestricted. Used for single fields, such as tags. */
export function requireUnrestricted(caller: Caller, field: string): void {
  if (caller.user.restricted) throw new ApiError(403, [{ field, reason: "Only unrestricted users may set this" }]);
}

/**
 * Returns true if the token's scopes include the wanted scope. `read_write` includes reads, `*` includes all scopes,
 * and `read` means `read_only`.
 */
export function hasScope(scopes: string, wanted: string): boolean {
  const [area, level] = wanted.split(":");
  const isRead = level === "read_only" || level === "read";
  const held = scopes.split(/[\s,]+/);
  return held.some(
    (scope) =>
      scope === "*" ||
      scope === wanted ||
      scope === `${area}:*` ||
      (isRead && [`${area}:read_only`, `${area}:read_write`].includes(scope)),
  );
}

function isAlive({ revoked, expiry }: TokenRow, now: number): boolean {
  return !revoked && (expiry === undefined || expiry === null || now < expiry);
}

function permissionOn(caller: Caller, category: GrantCategory, id: string | number): Permission | undefined {
  if (!caller.user.restricted) return "read_write";
  return caller.user.grants.entities[category]?.[String(id)];
}

function covers(held: Permission | null, wanted: Permission): boolean {
  return held === "read_write" || held === wanted;
}

function missingGrant(grant: GlobalGrant | "account_access"): ApiError {
  return forbidden(`Unauthorized: the grant ${grant} is needed`);
}
