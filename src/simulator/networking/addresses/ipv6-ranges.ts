import * as z from "zod";
import type { InstanceRow } from "../../compute/tables.ts";
import { permits, visible } from "../../server/auth/auth.ts";
import type { Permission } from "../../server/auth/identity.ts";
import { invalid, notFound, refused } from "../../server/errors.ts";
import { canonical } from "../../server/ip-address.ts";
import { rowList } from "../../server/lists/paging.ts";
import { operation } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { optional } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import { namedInstance, requireChangeable } from "./named-addresses.ts";
import { presentRange, slaacAddress } from "./present-addresses.ts";
import { ADDRESSES, IPV6_RANGES } from "./tables.ts";
import type { IPv6RangeRow } from "./tables.ts";

const path = "/networking/ipv6/ranges";
const one = `${path}/{range}`;

const rangeBody = z
  .object({
    prefix_length: z.union([z.literal(56), z.literal(64)], "Must be 56 or 64"),
    compute_id: optional(z.int()),
    route_target: optional(z.string()),
  })
  .superRefine(({ compute_id, route_target }, context) => {
    const message = "Name the instance or its route_target, exactly one of them";
    if ((compute_id === undefined) === (route_target === undefined))
      context.addIssue({ code: "custom", path: ["compute_id"], message });
  });
type RangeBody = z.output<typeof rangeBody>;

/** Serves IPv6 ranges: list, create, view, delete (part 3 section 4.3, not-shown section 4). */
export const ipv6RangeOperations = [
  operation({
    method: "GET",
    path,
    summary: "List IPv6 ranges",
    scopes: ["ips:read_only"],
    paged: { filterable: ["region"] },
    handler: (context) =>
      rowList(
        visible(context, "compute", context.world.store.all(IPV6_RANGES, context.account), (row) => row.instance),
        (row) => presentRange(context.world, context.account, row),
      ),
  }),
  operation({
    method: "POST",
    path,
    summary: "Create an IPv6 range and route it to an instance",
    scopes: ["ips:read_write", "compute:read_write"],
    body: rangeBody,
    handler(context) {
      const { world, account, body } = context;
      const field = body.compute_id === undefined ? "route_target" : "compute_id";
      const { id, region } = routeTarget(context);
      const { store } = world;
      if (store.count(IPV6_RANGES, account, id) > 0) throw invalid(field, "One range per SLAAC address");
      if (store.find(IPV6_RANGES, account, "region", region).length > 0)
        throw invalid(field, `One range per region; ${region} has one`);
      const range = nextRange(world);
      world.store.put(IPV6_RANGES, account, {
        range,
        prefix: body.prefix_length,
        region,
        instance: id,
        sharedWith: [],
      });
      return { range: `${range}/${body.prefix_length}`, route_target: slaacAddress(world, account, id) };
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View an IPv6 range",
    scopes: ["ips:read"],
    handler(context) {
      const { range, prefix, region, instance, sharedWith } = rangeOf(context, "read_only");
      const computes = [...new Set([instance, ...sharedWith])];
      return { range, prefix, region, is_bgp: sharedWith.length > 0, computes };
    },
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Delete an IPv6 range that is not shared",
    scopes: ["ips:read_write"],
    handler(context) {
      const row = rangeOf(context, "read_write");
      if (row.sharedWith.some((id) => id !== row.instance)) throw refused("The range is shared");
      context.world.store.remove(IPV6_RANGES, context.account, row.range);
      return {};
    },
  }),
];

function routeTarget(context: Context<RangeBody>): Readonly<InstanceRow> {
  const { compute_id, route_target = "" } = context.body;
  if (compute_id !== undefined) return namedInstance(context, compute_id, "compute_id");
  const row = context.world.store.get(ADDRESSES, context.account, canonical(route_target));
  if (row?.type !== "ipv6" || row.instance === null)
    throw invalid("route_target", "Must be the SLAAC address of an instance, without prefix length");
  return namedInstance(context, row.instance, "route_target");
}

function rangeOf(context: Context, wanted: Permission): Readonly<IPv6RangeRow> {
  const row = context.world.store.get(IPV6_RANGES, context.account, canonical(context.params["range"] ?? ""));
  if (!row || !permits(context.caller, "compute", row.instance, "read_only")) throw notFound();
  requireChangeable(context, row.instance, wanted);
  return row;
}

/** Returns the next range in 2001:db8::/32, the range for documentation (RFC 3849). Each range starts at the border of a /56. */
function nextRange(world: World): string {
  const index = world.store.nextId("ipv6-range") - 1;
  const third = 0xe000 + Math.floor(index / 255);
  const fourth = ((index % 255) + 1) * 0x100;
  return `2001:db8:${third.toString(16)}:${fourth.toString(16)}::`;
}
