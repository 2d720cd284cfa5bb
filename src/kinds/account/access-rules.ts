/** Which apps and devices a policy lets be, and why the others go. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
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
export type Verdict = "Allowed" | "OwnToken" | "MayBeOwnToken" | "Refused";

export interface Rules {
  allow?: { id?: string | undefined; label?: string | undefined }[] | undefined;
  maxAgeDays?: number | undefined;
}

/** The token's own app: named, or none, or not known. */
export interface Token {
  ownAppID?: string | undefined;
  personalToken?: boolean | undefined;
  scopes: string[];
}

export const appsIn = (list: Json | undefined): App[] => rowsIn(app, list);
export const devicesIn = (list: Json | undefined): Device[] => rowsIn(device, list);
export const loginsIn = (list: Json | undefined): z.output<typeof login>[] => rowsIn(login, list);

/** What becomes of an app. `why`: the rule that refuses it. */
export function judgeApp(
  found: App,
  rules: Rules | undefined,
  token: Token,
  now: Date,
): { verdict: Verdict; why: string } {
  const why = rules ? (unlisted(found, rules) ?? tooOld(found.created, rules.maxAgeDays, now) ?? "") : "";
  const own = ownership(found, token);
  if (own === "Own") return { verdict: "OwnToken", why: "" };
  if (why === "") return { verdict: "Allowed", why };
  return own === "MayBeOwn" ? { verdict: "MayBeOwnToken", why: "" } : { verdict: "Refused", why };
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
export function mayBelong({ scopes }: App, token: Pick<Token, "scopes">): boolean {
  const granted = (scopes ?? "*").split(/[\s,]+/);
  const covers = (scope: string): boolean =>
    granted.includes("*") || granted.includes(scope) || granted.includes(scope.replace(":read_only", ":read_write"));
  return token.scopes.every(covers);
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

/** Where nobody tells which app is the token's own, each that may be it counts. */
function ownership(found: App, token: Token): "Own" | "MayBeOwn" | "Other" {
  if (token.ownAppID !== undefined) return token.ownAppID === String(found.id) ? "Own" : "Other";
  if (token.personalToken) return "Other";
  return mayBelong(found, token) ? "MayBeOwn" : "Other";
}

function rowsIn<T extends z.ZodType>(schema: T, list: Json | undefined): z.output<T>[] {
  return (Array.isArray(list) ? list : []).flatMap((row) => {
    const read = schema.safeParse(row);
    return read.success ? [read.data] : [];
  });
}
