import * as z from "zod";
import { INSTANCES } from "../../compute/tables.ts";
import { notFound } from "../../server/errors.ts";
import { rowList } from "../../server/lists/paging.ts";
import { operation } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { assignFirewall, deviceEvent, devicesOf, presentFirewallDevice } from "./assignment.ts";
import { firewallOf, requireAssignable } from "./firewalls.ts";
import { FIREWALL_DEVICES } from "./tables.ts";
import type { FirewallDeviceRow } from "./tables.ts";

const path = "/networking/firewalls/{firewallId}/devices";
const readable = { category: "firewall", param: "firewallId", permission: "read_only" } as const;
const writable = { category: "firewall", param: "firewallId", permission: "read_write" } as const;

/** Serves the devices of a firewall (not-shown section 4). */
export const firewallDeviceOperations = [
  operation({
    method: "GET",
    path,
    summary: "List the devices of a firewall",
    scopes: ["firewall:read_only"],
    entity: readable,
    paged: { filterable: ["id", "created", "updated"] },
    handler: (context) =>
      rowList(devicesOf(context.world, context.account, firewallOf(context).id), (row) =>
        presentFirewallDevice(context.world, context.account, row),
      ),
  }),
  operation({
    method: "POST",
    path,
    summary: "Assign a firewall to an instance",
    scopes: ["firewall:read_write"],
    entity: writable,
    body: z.object({ id: z.int(), type: z.literal("compute", "Only instances can be assigned") }),
    handler(context) {
      const { world, account, body, caller } = context;
      const firewall = firewallOf(context);
      requireAssignable(context, firewall, body.id, "id");
      const device = assignFirewall(world, account, firewall, body.id);
      const instance = world.store.get(INSTANCES, account, body.id);
      if (instance) deviceEvent(world, account, "firewall_device_add", firewall, instance, caller);
      return presentFirewallDevice(world, account, device);
    },
  }),
  operation({
    method: "GET",
    path: `${path}/{deviceId}`,
    summary: "View a device of a firewall",
    scopes: ["firewall:read_only"],
    entity: readable,
    handler: (context) => presentFirewallDevice(context.world, context.account, deviceOf(context)),
  }),
  operation({
    method: "DELETE",
    path: `${path}/{deviceId}`,
    summary: "Take an instance out of a firewall",
    scopes: ["firewall:read_write"],
    entity: writable,
    handler(context) {
      const { world, account, caller } = context;
      const device = deviceOf(context);
      world.store.remove(FIREWALL_DEVICES, account, device.id);
      const instance = world.store.get(INSTANCES, account, device.instance);
      if (instance) deviceEvent(world, account, "firewall_device_remove", firewallOf(context), instance, caller);
      return {};
    },
  }),
];

function deviceOf(context: Context): Readonly<FirewallDeviceRow> {
  const { id } = firewallOf(context);
  const wanted = Number(context.params["deviceId"]);
  const device = devicesOf(context.world, context.account, id).find((row) => row.id === wanted);
  if (!device) throw notFound();
  return device;
}
