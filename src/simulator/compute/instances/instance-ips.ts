import * as z from "zod";
import { allocate, ipv4Rows } from "../../networking/addresses/allocation.ts";
import { presentAddress, presentLinkLocal, presentRange } from "../../networking/addresses/present-addresses.ts";
import { ADDRESSES, IPV6_RANGES } from "../../networking/addresses/tables.ts";
import { notFound, refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { canonical } from "../../server/ip-address.ts";
import type { Context } from "../../server/operation.ts";
import { instanceEntity } from "../instance-entity.ts";
import { instanceOperation } from "../instance-operation.ts";

/** The addresses of one instance (not-shown section 3). */
export const instanceIpOperations = [
  instanceOperation({
    method: "GET",
    path: "/ips",
    summary: "View the addresses of an instance",
    handler: (context, { id }) => ({ ipv4: ipv4(context, id), ipv6: ipv6(context, id) }),
  }),
  instanceOperation({
    method: "POST",
    path: "/ips",
    summary: "Allocate an IPv4 address to the instance",
    body: z.object({ type: z.literal("ipv4", "Must be ipv4"), public: z.boolean() }),
    handler: (context, instance) => presentAddress(allocate(context, instance, context.body.public)),
  }),
  instanceOperation({
    method: "DELETE",
    path: "/ips/{address}",
    summary: "Remove an IPv4 address from the instance",
    handler(context, instance) {
      const { world, account, caller, params } = context;
      const row = world.store.get(ADDRESSES, account, canonical(params["address"] ?? ""));
      if (row?.instance !== instance.id) throw notFound();
      if (row.type === "ipv6") throw refused("A SLAAC address stays with its instance");
      const open = ipv4Rows(context, instance.id).filter((other) => other.public);
      if (row.public && open.length === 1) throw refused("The last public IPv4 address cannot be removed");
      world.store.remove(ADDRESSES, account, row.address);
      recordEvent(world, account, { action: "compute_deleteip", entity: instanceEntity(instance), caller });
      return {};
    },
  }),
];

function ipv4(context: Context, id: number): Record<string, unknown> {
  const rows = ipv4Rows(context, id);
  const shared = context.world.store.all(ADDRESSES, context.account).filter((row) => row.sharedWith.includes(id));
  return {
    public: rows.filter((row) => row.public).map(presentAddress),
    private: rows.filter((row) => !row.public).map(presentAddress),
    shared: shared.map(presentAddress),
    reserved: [],
  };
}

function ipv6({ world, account }: Context, id: number): Record<string, unknown> {
  const slaac = world.store.children(ADDRESSES, account, id).find((row) => row.type === "ipv6");
  const ranges = world.store.all(IPV6_RANGES, account);
  const own = ranges.filter((row) => row.instance === id || row.sharedWith.includes(id));
  return {
    link_local: slaac ? presentLinkLocal(slaac) : null,
    slaac: slaac ? presentAddress(slaac) : null,
    global: own.map((row) => presentRange(world, account, row)),
  };
}
