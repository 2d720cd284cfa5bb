import * as z from "zod";
import type { AreaControl } from "../server/control/area-control.ts";
import { checked } from "../server/wire.ts";
import { SMS } from "./tables.ts";
import type { AppRow, DeviceRow, SmsRow } from "./tables.ts";
import { addApp, addDevice } from "./traces.ts";

/** What reaches a user, or happens to it, beside the API; for tests and the demo. */
export interface ProfileControl {
  /** Messages sent to phones, oldest first, codes included. */
  sms(): readonly SmsRow[];
  /** An app is authorized; answers its id. Tokens of its `clientId` are revoked with it. */
  addApp(app: Partial<AppRow> & { username: string }): number;
  /** A device is trusted; answers its id. */
  addDevice(device: Partial<DeviceRow> & { username: string }): number;
}

const ofUser = z.looseObject({ username: z.string() });

/** The control side of users. */
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
