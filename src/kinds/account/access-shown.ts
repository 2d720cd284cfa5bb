/** What the status of an AccessPolicy shows of the lists that were read. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Detail } from "../../core/kind/call.ts";
import { appsIn, devicesIn, judgeApp, loginsIn } from "./access-rules.ts";
import { mostShown } from "./access-spec.ts";
import type { AccessSpec } from "./access-spec.ts";
import { rfc3339 } from "../time.ts";

export function appsShown(spec: AccessSpec, list: Json, scopes: string[][], now: Date) {
  const all = appsIn(list);
  const shown = all.slice(0, mostShown).map((app) => ({
    id: String(app.id),
    label: app.label?.slice(0, 128),
    scopes: app.scopes?.slice(0, 512),
    created: rfc3339(app.created),
    expires: rfc3339(app.expiry),
    verdict: judgeApp(app, spec.apps, scopes, now).verdict,
  }));
  return { count: all.length, entries: shown };
}

export function devicesShown(list: Json) {
  const all = devicesIn(list);
  const shown = all.slice(0, mostShown).map((device) => ({
    id: String(device.id),
    userAgent: device.user_agent?.slice(0, 256),
    lastAddress: device.last_remote_addr?.slice(0, 64),
    created: rfc3339(device.created),
    lastAuthenticated: rfc3339(device.last_authenticated),
  }));
  return { count: all.length, entries: shown };
}

/** The newest first. */
export function loginsShown(list: Json) {
  const all = loginsIn(list).toSorted((a, b) => b.id - a.id);
  const shown = all.slice(0, mostShown).map(loginShown);
  return { count: all.length, failed: all.filter(({ status }) => status === "failed").length, entries: shown };
}

/** Those of the logins to keep that were not read yet: each is read once, for it does not change. */
export function unreadLogins({ keepLogins = [] }: AccessSpec, before: Json | undefined): Record<string, Detail> {
  const known = new Set(keptIn(before).map(({ id }) => id));
  const unread = keepLogins.filter((id) => !known.has(id));
  return Object.fromEntries(unread.map((id) => [`login ${id}`, { path: `/profile/logins/${id}`, optional: true }]));
}

/** In the order of the spec. */
export function keptLogins({ keepLogins }: AccessSpec, found: Record<string, Json | undefined>, before?: Json) {
  return keepLogins?.flatMap((id) => {
    const [read] = loginsIn([found[`login ${id}`] ?? null]);
    return read ? [loginShown(read)] : keptIn(before).filter((one) => one.id === id);
  });
}

type Kept = ReturnType<typeof loginShown>;

function keptIn(before: Json | undefined): Kept[] {
  return (Array.isArray(before) ? before : []) as unknown as Kept[];
}

function loginShown(login: ReturnType<typeof loginsIn>[number]) {
  return {
    id: String(login.id),
    time: rfc3339(login.datetime),
    address: login.ip?.slice(0, 64),
    result: login.status?.slice(0, 32),
    username: login.username?.slice(0, 128),
  };
}

/** What this process has revoked, and what the status has of those before it; the newest first. */
export function revokedSoFar(done: JsonObject[], before: Json | undefined): Json[] {
  const known = (Array.isArray(before) ? before : []) as JsonObject[];
  const isOf = (a: JsonObject, b: JsonObject): boolean => a["what"] === b["what"] && a["id"] === b["id"];
  const older = known.filter((one) => !done.some((other) => isOf(one, other)));
  return [...done.toReversed(), ...older].slice(0, mostShown);
}
