import * as z from "zod";
import { REGIONS } from "../../catalog/tables.ts";
import { INSTANCES } from "../../compute/tables.ts";
import { invalid, refused } from "../../server/errors.ts";
import { operation } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { canonical } from "../../server/ip-address.ts";
import { SHARED } from "../../server/store/store.ts";
import type { Table } from "../../server/store/store.ts";
import { ipv4Rows } from "./allocation.ts";
import { movableIn, namedInstance, requireChangeable } from "./named-addresses.ts";
import type { Movable } from "./named-addresses.ts";
import { ADDRESSES, IPV6_RANGES } from "./tables.ts";

const assignBody = z.object({
  region: z.string(),
  assignments: z.array(z.object({ address: z.string(), compute_id: z.int() })),
});
type AssignBody = z.output<typeof assignBody>;

/** Serves the assignment of addresses to instances of a region (part 3 section 4.3 rule 1). */
export const ipAssignmentOperations = ["/networking/ips/assign", "/networking/ipv4/assign"].map((path) =>
  operation({
    method: "POST",
    path,
    summary: "Assign addresses to instances",
    scopes: ["ips:read_write", "compute:read_write"],
    body: assignBody,
    handler(context) {
      const { region, assignments } = context.body;
      if (!context.world.store.get(REGIONS, SHARED, region)) throw invalid("region", `There is no region ${region}`);
      const involved = new Set<number>();
      for (const [index, entry] of assignments.entries()) {
        const address = movable(context, region, index, entry);
        target(context, region, index, entry);
        address.put({ instance: entry.compute_id });
        if (address.instance !== null) involved.add(address.instance);
        involved.add(entry.compute_id);
      }
      for (const instance of involved) requireBalanced(context, instance);
      return {};
    },
  }),
);

function movable(
  context: Context<AssignBody>,
  region: string,
  index: number,
  { address }: AssignBody["assignments"][number],
): Movable {
  const field = `assignments.${index}.address`;
  const { assignments } = context.body;
  if (assignments.findIndex((other) => other.address === address) !== index)
    throw invalid(field, `${address} is assigned twice`);
  const [range = "", prefix] = address.split("/");
  // In recorded traffic, this refusal names no field.
  if (!isKnown(context, range)) throw refused("IP Address not found.");
  const found = movableIn(context, region, range, field);
  if (String(found.prefix) !== String(prefix))
    throw invalid(field, "Must be an IPv4 address, or an IPv6 range with its prefix length");
  if (found.sharedWith.length > 0) throw invalid(field, `${address} is shared`);
  requireChangeable(context, found.instance, "read_write");
  return found;
}

function isKnown({ world, account }: Context, text: string): boolean {
  const address = canonical(text);
  return [ADDRESSES, IPV6_RANGES].some((table: Table<never>) => world.store.get(table, account, address) !== undefined);
}

function target(
  context: Context,
  region: string,
  index: number,
  { compute_id }: AssignBody["assignments"][number],
): void {
  const field = `assignments.${index}.compute_id`;
  // In recorded traffic, this refusal names no field.
  if (!context.world.store.get(INSTANCES, context.account, compute_id))
    throw refused(`Invalid Compute ID ${compute_id}`);
  const instance = namedInstance(context, compute_id, field);
  if (instance.region !== region) throw invalid(field, `Instance ${compute_id} is not in ${region}`);
}

/**
 * Throws 400 unless the instance ends with at least one public IPv4 address, at most one private IPv4 address and at
 * most one range.
 */
function requireBalanced(context: Context, instance: number): void {
  const rows = ipv4Rows(context, instance);
  const open = rows.filter((row) => row.public).length;
  if (open === 0) throw refused(`Instance ${instance} would have no public IPv4 address`);
  if (rows.length - open > 1) throw refused(`Instance ${instance} would have more than one private IPv4 address`);
  if (context.world.store.children(IPV6_RANGES, context.account, instance).length > 1)
    throw refused(`Instance ${instance} would have more than one IPv6 range`);
}
