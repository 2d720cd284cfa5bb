import { DAY_MS } from "../server/clock.ts";
import { DEMO_ACCOUNT } from "../server/seed.ts";
import type { Seed } from "../server/seed.ts";
import type { Store } from "../server/store/store.ts";
import { APPS, DEVICES, LOGINS } from "./tables.ts";
import type { AppRow, DeviceRow } from "./tables.ts";

/** Lifetime of a remember-me session (part 1 section 2.5). */
const DEVICE_MS = 30 * DAY_MS;

/** Adds apps, devices and logins to the profile. This version of the API cannot create these rows. */
export const traceSeed: Seed = { seed: (store, now) => leaveTraces(store, DEMO_ACCOUNT, DEMO_ACCOUNT, now) };

function leaveTraces(store: Store, account: string, username: string, now: number): void {
  addApp(store, account, { username, label: "Backup tool", clientId: "backup-tool", scopes: "compute:read_only" }, now);
  addApp(store, account, { username, label: "Dashboard", clientId: "dashboard", expiry: now + 365 * DAY_MS }, now);
  addDevice(store, account, { username, user_agent: "Firefox" }, now - 2 * DAY_MS);
  addDevice(store, account, { username, user_agent: "Chromium" }, now - DAY_MS);
  const common = { username, ip: "192.0.2.10", restricted: false };
  for (const [daysAgo, status] of [
    [100, "successful"],
    [2, "failed"],
    [1, "successful"],
  ] as const)
    store.put(LOGINS, account, { ...common, id: store.nextId("login"), datetime: now - daysAgo * DAY_MS, status });
}

/** Authorizes an app, like the login page of the service. */
export function addApp(
  store: Store,
  account: string,
  app: Partial<AppRow> & { username: string },
  now: number,
): AppRow {
  const id = store.nextId("app");
  const site = `https://app-${id}.example.com`;
  const pages = { website: site, thumbnail_url: `${site}/thumbnail.png` };
  const rest = { id, clientId: `app-${id}`, label: `App ${id}`, scopes: "*", created: now, expiry: null };
  return store.put(APPS, account, { ...rest, ...pages, ...app });
}

/** Trusts a device for 30 days. */
export function addDevice(
  store: Store,
  account: string,
  device: Partial<DeviceRow> & { username: string },
  now: number,
): DeviceRow {
  const id = store.nextId("device");
  const times = { created: now, last_authenticated: now, expiry: now + DEVICE_MS };
  return store.put(DEVICES, account, {
    id,
    user_agent: "Browser",
    last_remote_addr: "192.0.2.10",
    ...times,
    ...device,
  });
}
