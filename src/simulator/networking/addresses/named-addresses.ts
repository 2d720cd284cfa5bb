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

/** The address if the caller has this permission on its instance; 404 or 403. */
export function addressOf(context: Context, address: string, wanted: Permission): Readonly<AddressRow> {
  const row = context.world.store.get(ADDRESSES, context.account, canonical(address));
  if (!row || !mayUse(context.caller, row.instance, "read_only")) throw notFound();
  requireChangeable(context, row.instance, wanted);
  return row;
}

/** An instance that a body names: 400 that names the field, or 403 for one that the caller may not use so. */
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

/** What can be assigned and shared: an IPv4 address, or a range. */
export interface Movable {
  /** Null for a reserved address that no instance has. */
  readonly instance: number | null;
  readonly sharedWith: readonly number[];
  /** Undefined for an IPv4 address. */
  readonly prefix: number | undefined;
  /** Replaces who has it, or who shares it. */
  put(fields: { instance?: number; sharedWith?: readonly number[] }): void;
}

/**
 * The IPv4 address or range (without prefix length) that a body names. 400 that names the field when the account has none
 * in the region, when the caller may not see it, and for a SLAAC address, which stays where it is.
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

/** 403 unless the caller has this permission on the instance. */
export function requireChangeable({ caller }: Context, instance: number | null, wanted: Permission): void {
  if (!mayUse(caller, instance, wanted))
    throw new ApiError(403, [{ reason: `Unauthorized: ${wanted} access to instance ${instance} is needed` }]);
}

/** Returns whether the caller has this permission on what the instance has; only unrestricted users use what no instance has. */
export function mayUse(caller: Caller, instance: number | null, wanted: Permission): boolean {
  return instance === null ? !caller.user.restricted : permits(caller, "compute", instance, wanted);
}
