/*
 * The account itself: who the customer is, what has happened (events), whether it may buy.
 * Guarantees: an event is told to its own account alone, for 90 days.
 * Imports server/ and no other area.
 */
import { ACCOUNTS } from "../server/auth/identity.ts";
import { notFound } from "../server/errors.ts";
import { operation } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { timestamp } from "../server/wire.ts";

/** The account itself (not-shown section 6). */
export const accountOperations = [
  operation({
    method: "GET",
    path: "/account",
    summary: "View the account",
    scopes: ["account:read_only"],
    accountAccess: "read_only",
    handler({ world, account }) {
      const row = world.store.get(ACCOUNTS, SHARED, account);
      if (!row) throw notFound();
      const { id: _id, activeSince, greenlight: _greenlight, raisedLimits: _raised, ...shown } = row;
      return { ...shown, active_since: timestamp(activeSince) };
    },
  }),
];
