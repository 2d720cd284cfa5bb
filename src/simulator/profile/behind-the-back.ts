import type { AppRow, DeviceRow, SmsRow } from "../tables/profile.ts";
import { SMS } from "../tables/profile.ts";
import type { World } from "../world.ts";
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

export function profileControl({ store, clock }: World, account: string): ProfileControl {
  return {
    sms: () => store.all(SMS, account),
    addApp: (app) => addApp(store, account, app, clock.now()).id,
    addDevice: (device) => addDevice(store, account, device, clock.now()).id,
  };
}
