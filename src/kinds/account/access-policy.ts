import type { Call } from "../../core/kind/call.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { accessShown, app, device, judgeApp, tooOld, unreadLogins } from "./access-rows.ts";
import type { Revocable } from "./access-rows.ts";
import { accessSpec, accessStatus } from "./access-spec.ts";
import { given } from "../given.ts";
import { readable } from "../wire.ts";
import { profileRow } from "./profile-row.ts";

/** Apps, devices and logins of the token's user: part 1, sections 2.5 and 4.2. */
export const accessPolicy = defineSetting({
  kind: "AccessPolicy",
  plural: "accesspolicies",
  shortNames: ["cpaccess"],
  idInWords: "omitted",
  doc: "Access to the user of the account's token. The status lists authorized apps, trusted devices, and logins of the last 90 days. The operator revokes the apps and devices that the rules refuse, except with `Observe` or `driftPolicy: Report`. Without rules, the operator revokes nothing. The cloud API does not show the app of the operator's own token. An app with all permissions of the token therefore stays, unless you list the app in `spec.apps.notOwn`. Deleting the object restores no access.",
  columns: [
    { name: "Apps", jsonPath: ".status.thirdPartyApps.count", type: "integer" },
    { name: "Devices", jsonPath: ".status.devices.count", type: "integer" },
    { name: "Failed logins", jsonPath: ".status.logins.failed", type: "integer" },
  ],
  spec: accessSpec,
  status: accessStatus,
  wire: profileRow,
  risks: [
    {
      fields: ["apps.notOwn"],
      when: "has(object.spec.apps) && has(object.spec.apps.notOwn) && size(object.spec.apps.notOwn) > 0",
      message:
        "spec.apps.notOwn is given: if the account's token belongs to one of these apps, the operator revokes its own access",
    },
  ],
  listPath: () => "/profile",
  shownAt: "/profile",
  part: "access",
  identify: ({ uid }) => String(uid),
  ofUser: true,
  reach: "account",
  guardsAccess: true,
  exports: "it is a rule about logins, and not a state of the account",
  fields: {},
  steps: {
    apps: {
      reach: "account",
      concerns: "access",
      specFields: ["apps"],
      guards: "polled",
      read: () => ({ path: "/profile/apps", paged: true }),
      calls: ({ spec, scopesHeard, now }, list) =>
        readable(app, list).flatMap((row) => {
          const { verdict, why } = judgeApp(row, spec.apps, scopesHeard(), now());
          return verdict === "Refused" ? [revocation(spec, "App", row, why)] : [];
        }),
    },
    devices: {
      reach: "account",
      concerns: "access",
      specFields: ["devices"],
      guards: "polled",
      read: () => ({ path: "/profile/devices", paged: true }),
      calls: ({ spec, now }, list) =>
        readable(device, list).flatMap((row) => {
          const why = tooOld(row, spec.devices?.maxAgeDays, now());
          return why === undefined ? [] : [revocation(spec, "Device", row, why)];
        }),
    },
  },
  details: ({ spec, reported }) => ({
    ...unreadLogins(spec, reported()["keptLogins"]),
    apps: { path: "/profile/apps", paged: true },
    devices: { path: "/profile/devices", paged: true },
    logins: { path: "/profile/logins", paged: true },
  }),
  report: (live, found) => accessShown(live, found) as never,
  examples: [
    {
      name: "strict",
      doc: "Allows one app, and revokes devices after 30 days.",
      spec: { apps: { allow: [{ label: "Dashboard" }] }, devices: { maxAgeDays: 30 } },
    },
    {
      name: "after-an-incident",
      doc: "Allows two apps for 180 days, revokes a suspicious app that has all permissions, and keeps a login in the status as evidence.",
      spec: {
        apps: { maxAgeDays: 180, allow: [{ id: "11" }, { label: "Dashboard" }], notOwn: ["13"] },
        devices: { maxAgeDays: 1 },
        keepLogins: ["1234"],
      },
      shownOnly: true,
    },
  ],
});

function revocation(spec: object, what: "App" | "Device", row: Revocable, why: string): Call {
  const { id, created, label, user_agent: agent } = row;
  const name = (label ?? agent ?? "").slice(0, 128);
  const path = `/profile/${what === "App" ? "apps" : "devices"}/${id}`;
  const { management } = spec as { management?: { driftPolicy?: string } };
  return {
    method: "DELETE",
    path,
    action: `Revoke${what}`,
    note: `${what.toLowerCase()} ${id} (${name}) → nothing: ${why}`,
    expects: { path, shows: given({ created: created ?? undefined, label: label ?? undefined }) },
    keeps: { what, id: String(id), name, why },
    ...(management?.driftPolicy === "Report" && { unasked: true }),
  };
}
