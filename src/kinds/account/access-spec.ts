/** Spec and status of an AccessPolicy. */
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import { atLeastOneOf, exactlyOneOf } from "../../core/kind/rules.ts";
import { idOf, orderedList, setOf } from "../../core/kind/schema.ts";
import { optionalText } from "../text.ts";
import { optionalTime, timeField } from "../time.ts";

const maxAgeDays = z
  .int()
  .min(1)
  .max(3650)
  .describe("Maximum age in days since authorization. The operator revokes older entries.");

const allowed = exactlyOneOf(
  z.object({
    id: idOf("App", { covered: true }).describe("Identifier of the app.").optional(),
    label: cloudName("App", z.string().min(1).max(128), { covered: true })
      .describe("Exact label of the app.")
      .optional(),
  }),
  ["id", "label"],
);

const apps = atLeastOneOf(
  z.object({
    allow: orderedList(allowed, 64)
      .describe(
        "Allowed apps. The operator revokes apps that are not in the list. An empty list allows no app. If absent, the operator revokes no app because of this list.",
      )
      .optional(),
    maxAgeDays: maxAgeDays.optional(),
    notOwn: setOf(idOf("App", { covered: true }).describe("Identifier of an app."), 64)
      .describe(
        "Apps that certainly do not own the account's token. If you list the app of the token, the operator loses its access. A personal token has no app.",
      )
      .optional(),
  }),
  ["allow", "maxAgeDays"],
  { fieldPath: ".allow" },
);

export const accessSpec = z.object({
  apps: apps.describe("Rules for authorized apps. If absent, all apps stay.").optional(),
  devices: z
    .object({ maxAgeDays })
    .describe("Rule for trusted devices. If absent, devices stay until the cloud removes the devices.")
    .optional(),
  keepLogins: setOf(idOf("Login", { covered: true }).describe("Identifier of a login."), 32)
    .describe(
      "Logins to keep in `status.keptLogins`, for example as evidence. The cloud lists a login for only 90 days.",
    )
    .optional(),
});

export type AccessSpec = z.output<typeof accessSpec>;

const id = z.string().max(32).describe("Identifier in the API.");
const entries = (entry: z.ZodType) => orderedList(entry, 50).describe("First 50 entries.");
const list = (doc: string, entry: z.ZodType, counts: z.ZodRawShape = {}) =>
  z.object({ count: z.int().min(0).describe("Total number."), ...counts, entries: entries(entry) }).describe(doc);

const app = z.object({
  id,
  label: optionalText(128, "Label in the API."),
  scopes: optionalText(512, "Permissions of the app."),
  created: optionalTime("Time of the authorization."),
  expires: optionalTime("End of the authorization. If absent, the authorization never ends."),
  verdict: z
    .enum(["Allowed", "MayBeOwnToken", "Refused"])
    .describe(
      "Verdict of the rules. MayBeOwnToken: the rules refuse the app, but the app stays, because the account's token may belong to the app. To revoke the app, add the app to spec.apps.notOwn.",
    ),
});
const device = z.object({
  id,
  userAgent: optionalText(256, "Browser or program of the device."),
  lastAddress: optionalText(64, "Address of the last login."),
  created: optionalTime("Time when the device became trusted."),
  lastAuthenticated: optionalTime("Time of the last login."),
});
const login = z.object({
  id,
  time: optionalTime("Time of the login."),
  address: optionalText(64, "Source address of the login."),
  result: optionalText(32, "Either successful or failed."),
  username: optionalText(128, "User who logged in."),
});
const revoked = z.object({
  what: z.enum(["App", "Device"]).describe("Type of the revoked entry."),
  id,
  name: z.string().max(128).describe("Label of the app, or program of the device."),
  why: z.string().max(128).describe("Rule that refused the entry."),
  time: timeField("Time of the revocation."),
});

export const accessStatus = z.object({
  thirdPartyApps: list("Apps that the user authorized.", app).optional(),
  devices: list("Devices that need no second factor.", device).optional(),
  logins: list("Logins of the last 90 days, newest first.", login, {
    failed: z.int().min(0).describe("Number of failed logins."),
  }).optional(),
  keptLogins: z
    .array(login)
    .max(32)
    .meta({ listType: "map", listMapKeys: ["id"] })
    .describe("Logins of spec.keepLogins at the time of the first read, without logins that the cloud does not know.")
    .optional(),
  revoked: entries(revoked)
    .describe("Apps and devices that the operator revoked for the object, newest first.")
    .optional(),
});
