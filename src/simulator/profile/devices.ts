import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { timestamp } from "../server/wire.ts";
import { DEVICES } from "./tables.ts";
import type { DeviceRow } from "./tables.ts";

const path = "/profile/devices";
const one = `${path}/{deviceId}`;

/** Serves trusted devices of the user (part 1 sections 2.5 and 4.2). */
export const deviceOperations = [
  operation({
    method: "GET",
    path,
    summary: "List trusted devices",
    scopes: ["account:read_only"],
    paged: { filterable: [] },
    handler({ world, account, caller, now }) {
      const devices = world.store.children(DEVICES, account, caller.user.username);
      return rowList(
        devices.filter((device) => device.expiry > now),
        present,
      );
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View a trusted device",
    scopes: ["account:read_only"],
    handler: (context) => present(own(context)),
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Trust a device no more",
    scopes: ["account:read_write"],
    handler(context) {
      context.world.store.remove(DEVICES, context.account, own(context).id);
      return {};
    },
  }),
];

function own(context: Context): Readonly<DeviceRow> {
  const device = rowOf(context, DEVICES, context.params["deviceId"]);
  if (device.username !== context.caller.user.username || device.expiry <= context.now) throw notFound();
  return device;
}

function present({ username: _username, created, expiry, last_authenticated, ...shown }: DeviceRow): unknown {
  const times = { created, expiry, last_authenticated };
  const stamps = Object.entries(times).map(([name, moment]) => [name, timestamp(moment)] as const);
  return { ...shown, ...Object.fromEntries(stamps) };
}
