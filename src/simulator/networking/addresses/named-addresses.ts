import { INSTANCES } from "../../compute/tables.ts";
import type { InstanceRow } from "../../compute/tables.ts";
import { permits } from "../../server/auth/auth.ts";
import type { Caller } from "../../server/auth/caller.ts";
import type { Permission } from "../../server/auth/identity.ts";
import { ApiError, invalid, notFound } from "../../server/errors.ts";
import { canonical } from "../../server/ip-address.ts";
import type { Context } from "../../server/operation.ts";
import { ADDRESSES, IPV6_RANGES } from "./tables.ts";
import type { AddressRow } from "./tables.ts";

/** Returns the address in the path. Throws 404 or 403 if the caller lacks the permission on the instance. */
export function addressOf(context: Context, address: string, wanted: Permission): Readonly<AddressRow> {
  const row = context.world.store.get(ADDRESSES, context.account, canonical(address));
  if (!row || !mayUse(context.caller, row.instance, "read_only")) throw notFound();
  requireChangeable(context, row.instance, wanted);
  return row;
}

/** Returns the instance in a request body. Throws 400 that names the field, or 403 if the caller lacks the permission. */
export function namedInstance(
  context: Context,
  id: number,
  field: string,
  wanted: Permission = "read_write",
): Readonly<InstanceRow> {
  const row = context.world.store.get(INSTANCES, context.account, id);
  if (!row || !permits(context.caller, "compute", id, "read_only")) throw invalid(field, `There is no instance ${id}`);
  requireChangeable(context, id, wanted);
  return row;
}

/** An IPv4 address or a range, as the subject of an assignment or a share. */
export interface Movable {
  /** Null for a reserved address without an instance. */
  readonly instance: number | null;
  readonly sharedWith: readonly number[];
  /** Undefined for an IPv4 address. */
  readonly prefix: number | undefined;
  /** Stores a new instance, or new shares. */
  put(fields: { instance?: number; sharedWith?: readonly number[] }): void;
}

/**
 * Returns the IPv4 address or range (without prefix length) that a request body names.
 * Throws 400 that names the field if the account has no such address in the region, if the caller may not read it, and
 * for a SLAAC address, which cannot move.
 */
export function movableIn(context: Context, region: string, text: string, field: string): Movable {
  const { account } = context;
  const { store } = context.world;
  const address = canonical(text);
  const range = store.get(IPV6_RANGES, account, address);
  const row = range ?? store.get(ADDRESSES, account, address);
  if (!row || !mayUse(context.caller, row.instance, "read_only")) throw invalid(field, `There is no address ${text}`);
  if (row.region !== region) throw invalid(field, `${text} is not in ${region}`);
  if (!range && text.includes(":")) throw invalid(field, "A SLAAC address stays with its instance");
  const { instance, sharedWith } = row;
  const put: Movable["put"] = (fields) =>
    void (range
      ? store.patch(IPV6_RANGES, account, address, fields)
      : store.patch(ADDRESSES, account, address, fields));
  return { instance, sharedWith, prefix: range?.prefix, put };
}

/** Throws 403 unless the caller has the permission on the instance. */
export function requireChangeable({ caller }: Context, instance: number | null, wanted: Permission): void {
  if (!mayUse(caller, instance, wanted))
    throw new ApiError(403, [{ reason: `Unauthorized: ${wanted} access to instance ${instance} is needed` }]);
}

/** Returns true if the caller has the permission on the instance. Without an instance, only unrestricted users have access. */
export function mayUse(caller: Caller, instance: number | null, wanted: Permission): boolean {
  return instance === null ? !caller.user.restricted : permits(caller, "compute", instance, wanted);
}
