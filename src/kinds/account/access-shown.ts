/** What the status of an AccessPolicy shows of the lists that were read; it is cut to fit. */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Detail } from "../../core/kind/call.ts";
import { rfc3339 } from "../time.ts";
import { readable } from "../wire.ts";
import { login } from "./access-rules.ts";
import type { App, device } from "./access-rules.ts";
import type { AccessSpec } from "./access-spec.ts";

export function appShown({ id: number, label, scopes, created, expiry }: App) {
  return { id: String(number), label, scopes, created: rfc3339(created), expires: rfc3339(expiry) };
}

export function deviceShown(row: z.output<typeof device>) {
  const times = { created: rfc3339(row.created), lastAuthenticated: rfc3339(row.last_authenticated) };
  return { id: String(row.id), userAgent: row.user_agent, lastAddress: row.last_remote_addr, ...times };
}

export function loginShown({ id: number, datetime, ip, status, username }: z.output<typeof login>) {
  return { id: String(number), time: rfc3339(datetime), address: ip, result: status, username };
}

const listed = (before: Json | undefined) => (before ?? []) as JsonObject[];

/** Those of the logins to keep that were not read yet: each is read once, for it does not change. */
export function unreadLogins({ keepLogins = [] }: AccessSpec, before: Json | undefined): Record<string, Detail> {
  const unread = keepLogins.filter((one) => !listed(before).some((kept) => kept["id"] === one));
  return Object.fromEntries(unread.map((one) => [`login ${one}`, { path: `/profile/logins/${one}`, optional: true }]));
}

/** In the order of the spec. */
export function keptLogins({ keepLogins }: AccessSpec, found: Record<string, Json | undefined>, before?: Json) {
  return keepLogins?.flatMap((one) => {
    const read = readable(login, [found[`login ${one}`] ?? null]).map(loginShown);
    return [...read, ...listed(before).filter((kept) => kept["id"] === one)].slice(0, 1);
  });
}

/** What this process has revoked, and what the status has of those before it; the newest first. */
export function revokedSoFar(done: JsonObject[], before: Json | undefined): JsonObject[] {
  const isNew = (one: JsonObject) => !done.some(({ what, id: other }) => what === one["what"] && other === one["id"]);
  return [...done.toReversed(), ...listed(before).filter(isNew)];
}
