/** Rules of an AccessPolicy, and what its status shows. */
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import { atLeastOneOf, exactlyOneOf } from "../../core/kind/rules.ts";
import { idOf, orderedList, setOf } from "../../core/kind/schema.ts";
import { optionalText } from "../text.ts";
import { optionalTime, timeField } from "../time.ts";

const maxAgeDays = z.int().min(1).max(3650).describe("Revoked when older, days since it was authorized.");

const allowed = exactlyOneOf(
  z.object({
    id: idOf("App", { covered: true }).describe("Identifier of the app.").optional(),
    label: cloudName("App", z.string().min(1).max(128), { covered: true }).describe("Its label, as it is.").optional(),
  }),
  ["id", "label"],
);

const apps = atLeastOneOf(
  z.object({
    allow: orderedList(allowed, 64).describe("Apps that may stay; all others are revoked.").optional(),
    maxAgeDays: maxAgeDays.optional(),
    notOwn: setOf(idOf("App", { covered: true }).describe("Identifier of an app."), 64)
      .describe(
        "Apps that the account's token surely does not belong to. The cloud API does not tell which app a token belongs to, and to revoke that one ends the operator's own access: so an app that may do all that the token may stays, unless it is named here. That of a personal token is none.",
      )
      .optional(),
  }),
  ["allow", "maxAgeDays"],
  { fieldPath: ".allow" },
);

export const accessSpec = z.object({
  apps: apps.describe("Which authorized apps may stay; all if not given.").optional(),
  devices: z
    .object({ maxAgeDays })
    .describe("How long trusted devices may stay; as long as the cloud keeps them if not given.")
    .optional(),
  keepLogins: setOf(idOf("Login", { covered: true }).describe("Identifier of a login."), 32)
    .describe(
      "Logins that the status goes on showing after the 90 days for which the cloud lists them, in `status.keptLogins`: evidence, say.",
    )
    .optional(),
});

export type AccessSpec = z.output<typeof accessSpec>;

const id = z.string().max(32).describe("Identifier in the API.");
const entries = (entry: z.ZodType) => orderedList(entry, 50).describe("The first 50.");
const list = (doc: string, entry: z.ZodType, counts: z.ZodRawShape = {}) =>
  z.object({ count: z.int().min(0).describe("How many there are."), ...counts, entries: entries(entry) }).describe(doc);

const app = z.object({
  id,
  label: optionalText(128, "Its label."),
  scopes: optionalText(512, "What it may do."),
  created: optionalTime("When it was authorized."),
  expires: optionalTime("When that ends; never if not given."),
  verdict: z
    .enum(["Allowed", "MayBeOwnToken", "Refused"])
    .describe(
      "By the rules. MayBeOwnToken: the rules refuse it, and it stays, since the account's token may belong to it; it goes when spec.apps.notOwn names it.",
    ),
});
const device = z.object({
  id,
  userAgent: optionalText(256, "What it calls itself."),
  lastAddress: optionalText(64, "Address of its last login."),
  created: optionalTime("Since when it is trusted."),
  lastAuthenticated: optionalTime("When it logged in last."),
});
const login = z.object({
  id,
  time: optionalTime("When it was."),
  address: optionalText(64, "From where."),
  result: optionalText(32, "successful, or failed."),
  username: optionalText(128, "Who."),
});
const revoked = z.object({
  what: z.enum(["App", "Device"]).describe("What it was."),
  id,
  name: z.string().max(128).describe("Its label, or what it called itself."),
  why: z.string().max(128).describe("The rule that refused it."),
  time: timeField("When it was revoked."),
});

export const accessStatus = z.object({
  apps: list("Apps that the user has authorized.", app).optional(),
  devices: list("Devices that need no second factor.", device).optional(),
  logins: list("Logins of the last 90 days, the newest first.", login, {
    failed: z.int().min(0).describe("How many of them failed."),
  }).optional(),
  keptLogins: z
    .array(login)
    .max(32)
    .meta({ listType: "map", listMapKeys: ["id"] })
    .describe("The logins of spec.keepLogins, as they were when they were read; none for what the cloud does not know.")
    .optional(),
  revoked: entries(revoked).describe("What this object has revoked, the newest first.").optional(),
});
