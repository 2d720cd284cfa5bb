import * as z from "zod";
import { allocate, ipv4Rows } from "../../networking/addresses/allocation.ts";
import { presentAddress, presentLinkLocal, presentRange } from "../../networking/addresses/present-addresses.ts";
import { reverseNameBody, setReverseName } from "../../networking/addresses/reverse-names.ts";
import { ADDRESSES, IPV6_RANGES } from "../../networking/addresses/tables.ts";
import type { AddressRow } from "../../networking/addresses/tables.ts";
import { notFound, refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { canonical } from "../../server/ip-address.ts";
import type { Context } from "../../server/operation.ts";
import { instanceEntity } from "../instance-entity.ts";
import { instanceOperation } from "../instance-operation.ts";
import type { InstanceRow } from "../tables.ts";

const one = "/ips/{address}";

/** Serves the addresses of an instance (not-shown section 3). */
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
    handler: (context, instance) =>
      presentAddress(context.world, context.account, allocate(context, instance, context.body.public)),
  }),
  instanceOperation({
    method: "GET",
    path: one,
    summary: "View one address of the instance",
    handler: (context, instance) => presentAddress(context.world, context.account, addressOf(context, instance)),
  }),
  instanceOperation({
    method: "PUT",
    path: one,
    summary: "Set or reset the reverse DNS of one address of the instance",
    body: reverseNameBody,
    handler: (context, instance) => setReverseName(context, addressOf(context, instance), context.body.rdns),
  }),
  instanceOperation({
    method: "DELETE",
    path: one,
    summary: "Remove an IPv4 address from the instance",
    handler(context, instance) {
      const { world, account, caller } = context;
      const row = addressOf(context, instance);
      if (row.type === "ipv6") throw refused("A SLAAC address stays with its instance");
      const open = ipv4Rows(context, instance.id).filter((other) => other.public);
      if (row.public && open.length === 1) throw refused("The last public IPv4 address cannot be removed");
      world.store.remove(ADDRESSES, account, row.address);
      if (row.reserved) world.store.put(ADDRESSES, account, { ...row, instance: null, rdns: null });
      recordEvent(world, account, { action: "compute_deleteip", entity: instanceEntity(instance), caller });
      return {};
    },
  }),
];

function addressOf({ world, account, params }: Context, instance: Readonly<InstanceRow>): Readonly<AddressRow> {
  const row = world.store.get(ADDRESSES, account, canonical(params["address"] ?? ""));
  if (row?.instance !== instance.id) throw notFound();
  return row;
}

function ipv4(context: Context, id: number): Record<string, unknown> {
  const { world, account } = context;
  const rows = ipv4Rows(context, id);
  const present = (row: AddressRow) => presentAddress(world, account, row);
  return {
    public: rows.filter((row) => row.public && row.reserved !== true).map(present),
    private: rows.filter((row) => !row.public).map(present),
    shared: world.store.find(ADDRESSES, account, "sharedWith", id).map(present),
    reserved: rows.filter((row) => row.reserved).map(present),
    vpc: [],
  };
}

function ipv6({ world, account }: Context, id: number): Record<string, unknown> {
  const slaac = world.store.children(ADDRESSES, account, id).find((row) => row.type === "ipv6");
  const own = world.store.children(IPV6_RANGES, account, id);
  const others = world.store.find(IPV6_RANGES, account, "sharedWith", id).filter(({ instance }) => instance !== id);
  return {
    link_local: slaac ? presentLinkLocal(world, account, slaac) : null,
    slaac: slaac ? presentAddress(world, account, slaac) : null,
    global: [...own, ...others].map((row) => presentRange(world, account, row)),
    vpc: [],
  };
}
