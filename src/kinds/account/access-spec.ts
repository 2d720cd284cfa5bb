/** Rules of an AccessPolicy, and what its status shows. */
import * as z from "zod";
import { atLeastOneOf, exactlyOneOf } from "../../core/kind/rules.ts";
import { externalId, orderedList, setOf } from "../../core/kind/schema.ts";
import { timeField } from "../time.ts";

/** So many entries of a list are in the status. */
export const mostShown = 50;

const maxAgeDays = z.int().min(1).max(3650).describe("Revoked when older, days since it was authorized.");

const allowed = exactlyOneOf(
  z.object({
    id: externalId().describe("Identifier of the app.").optional(),
    label: z.string().min(1).max(128).describe("Its label, as it is.").optional(),
  }),
  ["id", "label"],
);

const apps = atLeastOneOf(
  z.object({
    allow: orderedList(allowed, 64).describe("Apps that may stay; all others are revoked.").optional(),
    maxAgeDays: maxAgeDays.optional(),
    notOwn: setOf(externalId().describe("Identifier of an app."), 64)
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
  keepLogins: setOf(externalId().describe("Identifier of a login."), 32)
    .describe(
      "Logins that the status goes on showing after the 90 days for which the cloud lists them, in `status.keptLogins`: evidence, say.",
    )
    .optional(),
});

export type AccessSpec = z.output<typeof accessSpec>;

const id = z.string().max(32).describe("Identifier in the API.");
const count = z.int().min(0).describe("How many there are.");
const listed = <T extends z.ZodType>(entry: T) =>
  z.array(entry).max(mostShown).meta({ listType: "atomic" }).describe(`The first ${mostShown}.`);

const login = z.object({
  id,
  time: timeField("When it was.").optional(),
  address: z.string().max(64).describe("From where.").optional(),
  result: z.string().max(32).describe("successful, or failed.").optional(),
  username: z.string().max(128).describe("Who.").optional(),
});

export const accessStatus = z.object({
  apps: z
    .object({
      count,
      entries: listed(
        z.object({
          id,
          label: z.string().max(128).describe("Its label.").optional(),
          scopes: z.string().max(512).describe("What it may do.").optional(),
          created: timeField("When it was authorized.").optional(),
          expires: timeField("When that ends; never if not given.").optional(),
          verdict: z
            .enum(["Allowed", "MayBeOwnToken", "Refused"])
            .describe(
              "By the rules. MayBeOwnToken: the rules refuse it, and it stays, since the account's token may belong to it; it goes when spec.apps.notOwn names it.",
            ),
        }),
      ),
    })
    .describe("Apps that the user has authorized.")
    .optional(),
  devices: z
    .object({
      count,
      entries: listed(
        z.object({
          id,
          userAgent: z.string().max(256).describe("What it calls itself.").optional(),
          lastAddress: z.string().max(64).describe("Address of its last login.").optional(),
          created: timeField("Since when it is trusted.").optional(),
          lastAuthenticated: timeField("When it logged in last.").optional(),
        }),
      ),
    })
    .describe("Devices that need no second factor.")
    .optional(),
  logins: z
    .object({
      count,
      failed: z.int().min(0).describe("How many of them failed."),
      entries: listed(login),
    })
    .describe("Logins of the last 90 days, the newest first.")
    .optional(),
  keptLogins: z
    .array(login)
    .max(32)
    .meta({ listType: "map", listMapKeys: ["id"] })
    .describe("The logins of spec.keepLogins, as they were when they were read; none for what the cloud does not know.")
    .optional(),
  revoked: listed(
    z.object({
      what: z.enum(["App", "Device"]).describe("What it was."),
      id,
      name: z.string().max(128).describe("Its label, or what it called itself."),
      why: z.string().max(128).describe("The rule that refused it."),
      time: timeField("When it was revoked."),
    }),
  )
    .describe("What this object has revoked, the newest first.")
    .optional(),
});
