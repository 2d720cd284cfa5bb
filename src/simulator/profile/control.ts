import * as z from "zod";
import type { AreaControl } from "../server/control/area-control.ts";
import { checked } from "../server/wire.ts";
import { SMS } from "./tables.ts";
import type { AppRow, DeviceRow, SmsRow } from "./tables.ts";
import { addApp, addDevice } from "./traces.ts";

/** Events of a user outside the API, for tests and the demo. */
export interface ProfileControl {
  /** Returns the messages to phones, oldest first, with codes. */
  sms(): readonly SmsRow[];
  /** Authorizes an app. Returns the ID. Revoking the app also revokes the tokens of the `clientId`. */
  addApp(app: Partial<AppRow> & { username: string }): number;
  /** Trusts a device. Returns the ID. */
  addDevice(device: Partial<DeviceRow> & { username: string }): number;
}

const ofUser = z.looseObject({ username: z.string() });

export const profileControl: AreaControl<ProfileControl> = {
  verbs: ({ store, clock }, account) => ({
    sms: () => store.all(SMS, account),
    addApp: (app) => addApp(store, account, app, clock.now()).id,
    addDevice: (device) => addDevice(store, account, device, clock.now()).id,
  }),
  routes: (verbs) => ({
    "GET /sms": () => verbs.sms(),
    "POST /apps": (body) => ({ id: verbs.addApp(checked(ofUser, body)) }),
    "POST /devices": (body) => ({ id: verbs.addDevice(checked(ofUser, body)) }),
  }),
};
