/** Rows of apps, devices and logins (part 1, sections 2.5 and 4.2), the verdict of a policy, and the form in the status. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Detail } from "../../core/kind/call.ts";
import type { Live } from "../../core/kind/live.ts";
import { covers } from "../../core/kind/scopes.ts";
import { rfc3339 } from "../time.ts";
import { readable, whole } from "../wire.ts";
import type { AccessSpec } from "./access-spec.ts";

const text = z.string().nullish();
const dated = { id: whole(), created: text };
export const app = z.object({ ...dated, label: text, scopes: text, expiry: text });
export const device = z.object({ ...dated, user_agent: text, last_remote_addr: text, last_authenticated: text });
const login = z.object({ id: whole(), datetime: text, ip: text, status: text, username: text });

type App = z.output<typeof app>;
type Device = z.output<typeof device>;
export type Revocable = Partial<App & Device> & Pick<App, "id">;
type Found = Record<string, Json | undefined>;
type Reported = Pick<Live<AccessSpec, never, never>, "spec" | "scopesHeard" | "now" | "done" | "reported">;

/** Returns the verdict on an app. `heard`: each possible list of scopes of the token. `why`: the rule that refuses the app. */
export function judgeApp(found: App, rules: AccessSpec["apps"], heard: string[][], now: Date) {
  const why = rules && (unlisted(found, rules.allow) ?? tooOld(found, rules.maxAgeDays, now));
  if (why === undefined) return { verdict: "Allowed", why: "" } as const;
  // A token of an app has only scopes of the app.
  const granted = (found.scopes ?? "*").split(/[\s,]+/);
  const mayBeOwn = heard.length === 0 || heard.some((ofToken) => ofToken.every((scope) => covers(granted, scope)));
  const stays = mayBeOwn && !rules?.notOwn?.includes(String(found.id));
  return { verdict: stays ? "MayBeOwnToken" : "Refused", why } as const;
}

function unlisted({ id, label }: App, allow: NonNullable<AccessSpec["apps"]>["allow"]): string | undefined {
  // An app without a visible label can have an allowed label.
  if (!allow || (!label && allow.some((one) => one.label !== undefined))) return undefined;
  const listed = allow.some((one) => one.id === String(id) || (one.label !== undefined && one.label === label));
  return listed ? undefined : "it is not in spec.apps.allow";
}

/** Returns why an app or a device is too old. Undefined for a permitted age. */
export function tooOld({ created }: Pick<App, "created">, maxAgeDays: number | undefined, now: Date) {
  const ageMs = now.getTime() - Date.parse(rfc3339(created) ?? "");
  // A missing time, or a time before 1970, is no proof of age.
  if (maxAgeDays === undefined || !(ageMs > maxAgeDays * 86_400_000 && ageMs < now.getTime())) return undefined;
  return `it is older than ${maxAgeDays} days`;
}

/** Returns the lists for the status. The caller truncates the lists to fit the status. */
export function accessShown({ spec, scopesHeard, now, done, reported }: Reported, found: Found) {
  const shown = (one: App) => ({ ...appShown(one), ...judgeApp(one, spec.apps, scopesHeard(), now()) });
  const logins = readable(login, found["logins"]).toSorted((a, b) => b.id - a.id);
  const failed = logins.filter(({ status }) => status === "failed").length;
  return {
    ...(found["apps"] && { thirdPartyApps: counted(readable(app, found["apps"]).map(shown)) }),
    ...(found["devices"] && { devices: counted(readable(device, found["devices"]).map(deviceShown)) }),
    ...(found["logins"] && { logins: { ...counted(logins.map(loginShown)), failed } }),
    keptLogins: keptLogins(spec, found, reported()["keptLogins"]),
    revoked: revokedSoFar(done, reported()["revoked"]),
  };
}

function counted(entries: object[]) {
  return { count: entries.length, entries };
}

function appShown({ id, label, scopes, created, expiry }: App) {
  return { id: String(id), label, scopes, created: rfc3339(created), expires: rfc3339(expiry) };
}

function deviceShown({ id, created, user_agent: userAgent, last_remote_addr: lastAddress, ...row }: Device) {
  const lastAuthenticated = rfc3339(row.last_authenticated);
  return { id: String(id), userAgent, lastAddress, created: rfc3339(created), lastAuthenticated };
}

function loginShown({ id, datetime, ip, status, username }: z.output<typeof login>) {
  return { id: String(id), time: rfc3339(datetime), address: ip, result: status, username };
}

const listed = (before: Json | undefined) => (Array.isArray(before) ? before : []) as JsonObject[];

/** Returns the kept logins that the operator has not read yet. A login never changes, so one read is enough. */
export function unreadLogins({ keepLogins = [] }: AccessSpec, before: Json | undefined): Record<string, Detail> {
  const unread = keepLogins.filter((one) => !listed(before).some((kept) => kept["id"] === one));
  return Object.fromEntries(unread.map((one) => [`login ${one}`, { path: `/profile/logins/${one}`, optional: true }]));
}

/** Returns the kept logins in the order of the spec. */
function keptLogins({ keepLogins }: AccessSpec, found: Found, before?: Json) {
  return keepLogins?.flatMap((one) => {
    const read = readable(login, [found[`login ${one}`] ?? null]).map(loginShown);
    return [...read, ...listed(before).filter((kept) => kept["id"] === one)].slice(0, 1);
  });
}

/** Returns the revocations of this process, then earlier revocations from the status, newest first. */
function revokedSoFar(done: JsonObject[], before: Json | undefined): JsonObject[] {
  const isNew = (one: JsonObject) => !done.some(({ what, id }) => what === one["what"] && id === one["id"]);
  return [...done.toReversed(), ...listed(before).filter(isNew)];
}
