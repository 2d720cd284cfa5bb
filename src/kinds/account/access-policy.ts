import type { Call } from "../../core/kind/call.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { accessSpec, accessStatus } from "./access-spec.ts";
import type { AccessSpec } from "./access-spec.ts";
import { appsIn, devicesIn, judgeApp, refusalOf, shownBy } from "./access-rules.ts";
import { appsShown, devicesShown, keptLogins, loginsShown, revokedSoFar, unreadLogins } from "./access-shown.ts";
import { profileRow } from "./profile-row.ts";

const apps = "/profile/apps";
const devices = "/profile/devices";

/** Apps, devices and logins of the token's user: part 1, sections 2.5 and 4.2. */
export const accessPolicy = defineSetting({
  kind: "AccessPolicy",
  plural: "accesspolicies",
  shortNames: ["cpaccess"],
  doc: "Who has access to the user that the account's token belongs to: the status lists authorized apps, trusted devices and logins of the last 90 days. Without rules nothing is revoked. Apps and devices that the rules refuse are, except under `Observe` and `driftPolicy: Report`. No app is revoked that may be that of the operator's own token, which the cloud API does not tell: one that may do all that the token may, unless `spec.apps.notOwn` names it. Deleting the object gives nothing back.",
  columns: [
    { name: "Apps", jsonPath: ".status.apps.count", type: "integer" },
    { name: "Devices", jsonPath: ".status.devices.count", type: "integer" },
    { name: "Failed logins", jsonPath: ".status.logins.failed", type: "integer" },
  ],
  spec: accessSpec,
  status: accessStatus,
  wire: profileRow,
  risks: [
    {
      when: "has(object.spec.apps) && has(object.spec.apps.notOwn) && size(object.spec.apps.notOwn) > 0",
      message:
        "spec.apps.notOwn is given: if the account's token belongs to one of these apps, the operator revokes its own access",
    },
  ],
  at: () => "/profile",
  shownAt: "/profile",
  part: "access",
  identify: ({ uid }) => String(uid),
  ofUser: true,
  existing: () => "spec.accountRef",
  guardsAccess: true,
  fields: {},
  steps: {
    apps: {
      says: ["apps"],
      guards: "swept",
      read: () => ({ path: apps, paged: true }),
      calls: ({ spec, scopesHeard, now }, list) =>
        appsIn(list).flatMap((app) => {
          const { verdict, why } = judgeApp(app, spec.apps, scopesHeard(), now());
          const name = app.label ?? "";
          return verdict === "Refused" ? [revocation(spec, { path: apps, what: "App", row: app, name, why })] : [];
        }),
    },
    devices: {
      says: ["devices"],
      guards: "swept",
      read: () => ({ path: devices, paged: true }),
      calls: ({ spec, now }, list) =>
        devicesIn(list).flatMap((device) => {
          const why = refusalOf(device, spec.devices?.maxAgeDays, now());
          const name = device.user_agent ?? "";
          return why === undefined ? [] : [revocation(spec, { path: devices, what: "Device", row: device, name, why })];
        }),
    },
  },
  details: ({ spec, reported }) => ({
    ...unreadLogins(spec, reported()["keptLogins"]),
    apps: { path: apps, paged: true },
    devices: { path: devices, paged: true },
    logins: { path: "/profile/logins", paged: true },
  }),
  report: ({ spec, scopesHeard, now, done, reported }, found) => ({
    ...(found["apps"] && { apps: appsShown(spec, found["apps"], scopesHeard(), now()) }),
    ...(found["devices"] && { devices: devicesShown(found["devices"]) }),
    ...(found["logins"] && { logins: loginsShown(found["logins"]) }),
    keptLogins: keptLogins(spec, found, reported()["keptLogins"]),
    revoked: revokedSoFar(done, reported()["revoked"]) as never,
  }),
  examples: [
    {
      name: "strict",
      doc: "One app may stay, and devices log in again after a month.",
      spec: { apps: { allow: [{ label: "Dashboard" }] }, devices: { maxAgeDays: 30 } },
    },
    {
      name: "after-an-incident",
      doc: "Apps of the last half year may stay, a suspicious one that may do everything goes, and a login stays in the status as evidence.",
      spec: {
        apps: { maxAgeDays: 180, allow: [{ id: "11" }, { label: "Dashboard" }], notOwn: ["13"] },
        devices: { maxAgeDays: 1 },
        keepLogins: ["1234"],
      },
      shownOnly: true,
    },
  ],
});

interface Revoked {
  path: string;
  what: "App" | "Device";
  row: { id: number; created?: string | null | undefined; label?: string | null | undefined };
  name: string;
  why: string;
}

function revocation(spec: AccessSpec, { path, what, row, name, why }: Revoked): Call {
  const item = `${path}/${row.id}`;
  const { management } = spec as { management?: { driftPolicy?: string } };
  return {
    method: "DELETE",
    path: item,
    action: `Revoke${what}`,
    note: `${what.toLowerCase()} ${row.id} (${name.slice(0, 128)}): ${why}`,
    expects: { path: item, shows: shownBy(row) },
    keeps: { what, id: String(row.id), name: name.slice(0, 128), why },
    ...(management?.driftPolicy === "Report" && { unasked: true }),
  };
}
