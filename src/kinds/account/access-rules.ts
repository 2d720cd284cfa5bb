/** Apps, devices and logins as the API lists them (part 1, sections 2.5 and 4.2), and why a policy lets an app or device be or go. */
import * as z from "zod";
import { covers } from "../../core/kind/scopes.ts";
import { rfc3339 } from "../time.ts";
import { whole } from "../wire.ts";
import type { AccessSpec } from "./access-spec.ts";

const id = whole();
const text = z.string().nullish();
export const app = z.object({ id, label: text, scopes: text, created: text, expiry: text });
export const device = z.object({
  id,
  user_agent: text,
  last_remote_addr: text,
  created: text,
  last_authenticated: text,
});
export const login = z.object({ id, datetime: text, ip: text, status: text, username: text });

export type App = z.output<typeof app>;

/** What becomes of an app, by the rules and each list of scopes that the token may have. `why`: the rule that refuses it. */
export function judgeApp(found: App, rules: AccessSpec["apps"], heard: string[][], now: Date) {
  const why = rules && (unlisted(found, rules.allow) ?? tooOld(found, rules.maxAgeDays, now));
  if (why === undefined) return { verdict: "Allowed", why: "" } as const;
  const mayBeOwn = heard.length === 0 || heard.some((scopes) => mayBelong(found, scopes));
  const stays = mayBeOwn && !rules?.notOwn?.includes(String(found.id));
  return { verdict: stays ? "MayBeOwnToken" : "Refused", why } as const;
}

/** Whether the token may belong to an app: tokens of an app have no scope that the app has not. */
function mayBelong({ scopes }: App, ofToken: string[]): boolean {
  const granted = (scopes ?? "*").split(/[\s,]+/);
  return ofToken.every((scope) => covers(granted, scope));
}

function unlisted({ id: own, label }: App, allow: NonNullable<AccessSpec["apps"]>["allow"]): string | undefined {
  // What shows no label may have one that is listed.
  if (!allow || (!label && allow.some((one) => one.label !== undefined))) return undefined;
  const listed = allow.some((one) => one.id === String(own) || (one.label !== undefined && one.label === label));
  return listed ? undefined : "it is not in spec.apps.allow";
}

/** Why an app or a device goes by its age; undefined where it may stay. */
export function tooOld({ created }: Pick<App, "created">, maxAgeDays: number | undefined, now: Date) {
  const since = Date.parse(rfc3339(created) ?? "");
  // What tells no time is not known to be old.
  if (maxAgeDays === undefined || !(now.getTime() - since > maxAgeDays * 86_400_000)) return undefined;
  return `it is older than ${maxAgeDays} days`;
}
