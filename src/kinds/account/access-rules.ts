/** Which apps and devices a policy lets be, and why the others go. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { covers } from "../../core/kind/scopes.ts";
import { whole } from "../wire.ts";
import { rfc3339 } from "../time.ts";

/** Apps that the user has authorized: part 1, section 2.5. */
const app = z.object({
  id: whole(),
  label: z.string().nullish(),
  scopes: z.string().nullish(),
  created: z.string().nullish(),
  expiry: z.string().nullish(),
});
const device = z.object({
  id: whole(),
  user_agent: z.string().nullish(),
  last_remote_addr: z.string().nullish(),
  created: z.string().nullish(),
  last_authenticated: z.string().nullish(),
});
const login = z.object({
  id: whole(),
  datetime: z.string().nullish(),
  ip: z.string().nullish(),
  status: z.string().nullish(),
  username: z.string().nullish(),
});

export type App = z.output<typeof app>;
export type Device = z.output<typeof device>;
export type Verdict = "Allowed" | "MayBeOwnToken" | "Refused";

export interface Rules {
  allow?: { id?: string | undefined; label?: string | undefined }[] | undefined;
  maxAgeDays?: number | undefined;
  notOwn?: string[] | undefined;
}

export const appsIn = (list: Json | undefined): App[] => rowsIn(app, list);
export const devicesIn = (list: Json | undefined): Device[] => rowsIn(device, list);
export const loginsIn = (list: Json | undefined): z.output<typeof login>[] => rowsIn(login, list);

/** What becomes of an app, by the rules and each list of scopes that the token may have. `why`: the rule that refuses it. */
export function judgeApp(
  found: App,
  rules: Rules | undefined,
  heard: string[][],
  now: Date,
): { verdict: Verdict; why: string } {
  const why = rules ? (unlisted(found, rules) ?? tooOld(found.created, rules.maxAgeDays, now) ?? "") : "";
  if (why === "") return { verdict: "Allowed", why };
  const mayBeOwn = heard.length === 0 || heard.some((scopes) => mayBelong(found, scopes));
  const stays = mayBeOwn && !rules?.notOwn?.includes(String(found.id));
  return stays ? { verdict: "MayBeOwnToken", why: "" } : { verdict: "Refused", why };
}

/** Why a device is to log in again; undefined where it may stay. */
export function refusalOf(found: Device, maxAgeDays: number | undefined, now: Date): string | undefined {
  return tooOld(found.created, maxAgeDays, now);
}

/** What tells the row that a call concerns from another one under its id. */
export function shownBy({ created, label }: { created?: unknown; label?: unknown }): JsonObject {
  const known = Object.entries({ created, label }).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(known) as JsonObject;
}

/** Whether the token may belong to an app: tokens of an app have no scope that the app has not. */
function mayBelong({ scopes }: App, ofToken: string[]): boolean {
  const granted = (scopes ?? "*").split(/[\s,]+/);
  return ofToken.every((scope) => covers(granted, scope));
}

function unlisted({ id, label }: App, { allow }: Rules): string | undefined {
  // What shows no label may have one that is listed.
  if (!allow || (!label && allow.some((one) => one.label !== undefined))) return undefined;
  const listed = allow.some((one) => one.id === String(id) || (one.label !== undefined && one.label === label));
  return listed ? undefined : "it is not in spec.apps.allow";
}

function tooOld(created: string | null | undefined, maxAgeDays: number | undefined, now: Date): string | undefined {
  const since = Date.parse(rfc3339(created) ?? "");
  // What tells no time is not known to be old.
  if (maxAgeDays === undefined || !(now.getTime() - since > maxAgeDays * 86_400_000)) return undefined;
  return `it is older than ${maxAgeDays} days`;
}

function rowsIn<T extends z.ZodType>(schema: T, list: Json | undefined): z.output<T>[] {
  return (Array.isArray(list) ? list : []).flatMap((row) => {
    const read = schema.safeParse(row);
    return read.success ? [read.data] : [];
  });
}
