/*
 * Serves the calling user: profile, grants, keys, apps, devices, logins and second factor.
 * Guarantees: a user sees only own rows, not the rows of other users in the account.
 * Imports server/, and the rows that grants refer to.
 */
import * as z from "zod";
import { USERS } from "../server/auth/identity.ts";
import type { UserRow } from "../server/auth/identity.ts";
import { invalid } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { optional } from "../server/wire.ts";

const profileBody = z.object({
  authorized_keys: z.array(z.string()).nullable().optional(),
  email: optional(z.email("Must be an email address")),
  email_notifications: optional(z.boolean()),
  ip_whitelist_enabled: optional(z.boolean()),
  lish_auth_method: optional(z.enum(["password_keys", "keys_only", "disabled"])),
  restricted: optional(z.boolean()),
  timezone: optional(z.string().refine(isTimeZone, "Must be the name of a time zone")),
  two_factor_auth: optional(z.boolean()),
});

/** Serves the profile of the calling user (part 1 sections 2.4 and 4.2). */
export const profileOperations = [
  operation({
    method: "GET",
    path: "/profile",
    summary: "View the profile",
    handler: ({ caller }) => present(caller.user),
  }),
  operation({
    method: "PUT",
    path: "/profile",
    summary: "Change the profile",
    scopes: ["account:read_write"],
    body: profileBody,
    handler(context) {
      const { world, account, caller, body } = context;
      const { ip_whitelist_enabled: whitelist, ...given } = body;
      if (whitelist) throw invalid("ip_whitelist_enabled", "Deprecated: cannot be enabled");
      if (given.restricted === false && caller.user.restricted)
        throw invalid("restricted", "A restricted user cannot lift its own restrictions");
      if (given.restricted && isLastUnrestricted(context))
        throw invalid("restricted", "The last unrestricted user of the account cannot be restricted");
      const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const changed = world.store.patch(USERS, account, caller.user.username, fields);
      const entity = { id: changed.uid, label: changed.username, type: "user", url: "/v4/profile" };
      recordEvent(world, account, { action: "profile_update", entity, caller });
      return present(changed);
    },
  }),
];

/** Returns true for the only unrestricted user, because a restricted user cannot lift restrictions. */
function isLastUnrestricted({ world, account, caller }: Context): boolean {
  const others = world.store.all(USERS, account).filter(({ username }) => username !== caller.user.username);
  return !caller.user.restricted && others.every((user) => user.restricted);
}

function present(user: Readonly<UserRow>): Record<string, unknown> {
  const { grants: _grants, ...shown } = user;
  return {
    ...shown,
    authorized_keys: shown.authorized_keys?.length ? shown.authorized_keys : null,
    authentication_type: "password",
    user_type: "default",
    ip_whitelist_enabled: false,
    referrals: { code: "", completed: 0, credit: 0, pending: 0, total: 0, url: "" },
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
