import * as z from "zod";
import { regionNamed } from "../../catalog/offers.ts";
import { ApiError, invalid, refused } from "../../server/errors.ts";
import { canonical } from "../../server/ip-address.ts";
import type { Context } from "../../server/operation.ts";
import { optional } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import { allocate, allocatePublic } from "./allocation.ts";
import { namedInstance, requireChangeable } from "./named-addresses.ts";
import { setReverseName } from "./reverse-names.ts";
import { presentAddress } from "./present-addresses.ts";
import { ADDRESSES } from "./tables.ts";
import type { AddressRow } from "./tables.ts";

/** Body of a new address. `reserved` and `region` are newer fields of the service. */
export const allocationBody = z.object({
  type: z.string(),
  public: z.boolean(),
  compute_id: optional(z.int()),
  region: optional(z.string()),
  reserved: optional(z.boolean()),
});

/** Allocates an address to an instance, or reserves an address with or without an instance. Returns the address. */
export function allocateOrReserve(context: Context<z.output<typeof allocationBody>>): Record<string, unknown> {
  const { world, account, body } = context;
  if (body.type !== "ipv4") throw refused("Only addresses of type ipv4 are currently supported.");
  if (body.reserved) return presentAddress(world, account, reserve(context));
  if (body.compute_id === undefined) throw invalid("compute_id", "compute_id is required");
  return presentAddress(world, account, allocate(context, instanceIn(context, body.compute_id), body.public));
}

function reserve(context: Context<z.output<typeof allocationBody>>): AddressRow {
  const { world, account, body } = context;
  if (!body.public) throw invalid("public", "Cannot reserve a private address.");
  if (body.compute_id === undefined && body.region === undefined)
    throw refused("A datacenter or a Compute must be provided when reserving an address.");
  if (body.compute_id !== undefined) {
    const row = allocate(context, instanceIn(context, body.compute_id), true);
    return world.store.put(ADDRESSES, account, { ...row, reserved: true });
  }
  requireChangeable(context, null, "read_write");
  const region = regionNamed(world, body.region ?? "");
  const row = allocatePublic(world, account, { instance: null, region: region.id });
  return world.store.put(ADDRESSES, account, { ...row, reserved: true });
}

function instanceIn(context: Context<z.output<typeof allocationBody>>, id: number) {
  const instance = namedInstance(context, id, "compute_id");
  const { region } = context.body;
  if (region !== undefined && region !== instance.region)
    throw invalid("region", "Region passed in must match Compute's region.");
  return instance;
}

/** Body of an address update: the reverse name, the reservation, or both. */
export const addressBody = z.object({ rdns: z.string().nullable().optional(), reserved: optional(z.boolean()) });

/** Changes an address. The end of the reservation releases an address without an instance. Returns the address. */
export function changeAddress(context: Context<z.output<typeof addressBody>>, row: Readonly<AddressRow>): unknown {
  const { world, account, body } = context;
  const { rdns, reserved } = body;
  if (rdns === undefined && reserved === undefined) throw invalid("rdns", "rdns is required");
  if (reserved === true && (row.type !== "ipv4" || !row.public))
    throw invalid("reserved", "Only a public IPv4 address can be reserved");
  const answer = rdns === undefined ? undefined : setReverseName(context, row, rdns);
  if (reserved === undefined) return answer;
  const named = world.store.get(ADDRESSES, account, row.address) ?? row;
  const { tags: _tags, ...rest } = named;
  const changed = world.store.put(ADDRESSES, account, reserved ? { ...named, reserved } : { ...rest, reserved });
  if (!reserved && changed.instance === null) world.store.remove(ADDRESSES, account, changed.address);
  return presentAddress(world, account, changed);
}

/** Returns the reserved address for a new instance in the region, or undefined if the body names no address. */
export function reservedFor(
  { world, account, caller }: Context,
  region: string,
  wanted: readonly string[] | undefined,
): Readonly<AddressRow> | undefined {
  if (wanted === undefined || wanted.length === 0) return undefined;
  const row = world.store.get(ADDRESSES, account, canonical(wanted[0] ?? ""));
  if (wanted.length > 1 || !row?.reserved || row.region !== region)
    throw invalid("ipv4", "Must provide a single valid reserved ipv4 address");
  if (row.instance !== null) throw invalid("ipv4", "Address must be currently unassigned.");
  if (caller.user.restricted) throw new ApiError(403, [{ field: "ipv4", reason: "Unauthorized" }]);
  return row;
}

/** Releases the addresses of an instance. The account keeps reserved addresses. */
export function releaseIPv4(world: World, account: string, instance: number): void {
  for (const row of world.store.children(ADDRESSES, account, instance)) {
    world.store.remove(ADDRESSES, account, row.address);
    if (row.reserved) world.store.put(ADDRESSES, account, { ...row, instance: null, rdns: null });
  }
}
