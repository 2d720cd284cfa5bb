import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { Detail } from "../../core/kind/call.ts";
import { matching, rule, setOf } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { absentOrEmpty } from "../absent.ts";
import { publicKey } from "../public-key.ts";
import { grantsIn, grantsStatus } from "./profile-grants.ts";
import { profileRow } from "./profile-row.ts";
import { optionalText } from "../text.ts";

const spec = z.object({
  email: matching(
    asValue(z.string().min(3).max(128)).describe("Email address of the user."),
    "^[^@ ]+@[^@ ]+[.][^@ .]+$",
    "must be an email address, such as ada@example.org",
  ).optional(),
  emailNotifications: z
    .boolean()
    .describe("Whether the cloud sends email about events of the account. Business-critical email always arrives.")
    .optional(),
  timezone: matching(
    asValue(z.string().min(1).max(64)).describe(
      "Name of a time zone, such as Europe/Vienna. Only a preference: times in the API are UTC.",
    ),
    "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$",
    "must be the name of a time zone, such as Europe/Vienna",
  ).optional(),
  lishAuthMethod: z
    .enum(["password_keys", "keys_only", "disabled"])
    .describe("Login method for the console shell of instances.")
    .optional(),
  authorizedKeys: setOf(publicKey, 40)
    .describe(`Public SSH keys for logins to the console shell. ${absentOrEmpty}`)
    .optional(),
  twoFactorAuth: onlyOff(
    "Second factor at login. You can only turn the second factor off here. To turn the second factor on, set it up as the user.",
  ),
  ipWhitelistEnabled: onlyOff("Deprecated by the cloud. You can turn the list off, but not on again."),
});

function onlyOff(description: string) {
  return rule(z.boolean().describe(description), {
    cel: "!self",
    check: (value) => !value,
    message: "can only be false",
  }).optional();
}

/** The user of the account's token: part 1, sections 2.4 and 4.2. */
export const profile = defineSetting({
  kind: "Profile",
  plural: "profiles",
  shortNames: ["cpprofile"],
  idInWords: "omitted",
  doc: "The profile of the user that the account's token belongs to. The operator does not change absent fields. The spec has no `restricted`, so an object cannot lock the operator out. Deleting the object does not change the profile.",
  columns: [
    { name: "User", jsonPath: ".status.username" },
    { name: "Email", jsonPath: ".status.email", long: true },
    { name: "Restricted", jsonPath: ".status.restricted", type: "boolean" },
  ],
  spec,
  status: z.object({
    username: optionalText(128, "Name of the user."),
    email: optionalText(256, "Email address of the user."),
    restricted: z.boolean().describe("True if grants limit the user.").optional(),
    loginType: optionalText(64, "Either password or the name of an identity provider."),
    twoFactorAuth: z.boolean().describe("True if logins from untrusted computers need a second factor.").optional(),
    verifiedPhoneNumber: optionalText(32, "Verified phone number of the user."),
    grants: grantsStatus.optional(),
  }),
  wire: profileRow,
  listPath: () => "/profile",
  shownAt: "/profile",
  identify: ({ uid }) => String(uid),
  ofUser: true,
  reach: "account",
  guardsAccess: true,
  fields: {
    email: { desired: ({ spec: { email } }) => email, observed: (wire) => wire.email },
    email_notifications: {
      desired: ({ spec: { emailNotifications } }) => emailNotifications,
      observed: (wire) => wire.email_notifications,
    },
    timezone: { desired: ({ spec: { timezone } }) => timezone, observed: (wire) => wire.timezone },
    lish_auth_method: {
      desired: ({ spec: { lishAuthMethod } }) => lishAuthMethod,
      observed: (wire) => wire.lish_auth_method,
    },
    authorized_keys: {
      desired: ({ spec: { authorizedKeys } }) => authorizedKeys?.toSorted(),
      observed: (wire) => (wire.authorized_keys ?? []).toSorted(),
    },
    two_factor_auth: {
      desired: ({ spec: { twoFactorAuth } }) => twoFactorAuth,
      observed: (wire) => wire.two_factor_auth ?? false,
    },
    ip_whitelist_enabled: {
      desired: ({ spec: { ipWhitelistEnabled } }) => ipWhitelistEnabled,
      observed: (wire) => wire.ip_whitelist_enabled ?? false,
    },
  },
  details: ({ wire }): Record<string, Detail> => (wire.restricted ? { grants: { path: "/profile/grants" } } : {}),
  report: ({ wire }, { grants }) => ({
    username: wire.username,
    email: wire.email ?? undefined,
    restricted: wire.restricted ?? undefined,
    loginType: wire.authentication_type ?? undefined,
    twoFactorAuth: wire.two_factor_auth ?? undefined,
    verifiedPhoneNumber: wire.verified_phone_number ?? undefined,
    grants: wire.restricted ? grantsIn(grants) : undefined,
  }),
  examples: [
    { name: "timezone", doc: "A single field.", spec: { timezone: "Europe/Vienna" } },
    {
      name: "user",
      doc: "All fields.",
      spec: {
        email: "ada@example.org",
        emailNotifications: false,
        timezone: "Europe/Vienna",
        lishAuthMethod: "keys_only",
        authorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop"],
        twoFactorAuth: false,
        ipWhitelistEnabled: false,
      },
      changes: {
        email: { email: "grace@example.org" },
        emailNotifications: { emailNotifications: true },
        timezone: { timezone: "America/New_York" },
        lishAuthMethod: { lishAuthMethod: "password_keys" },
        authorizedKeys: { authorizedKeys: [] },
      },
    },
  ],
});
