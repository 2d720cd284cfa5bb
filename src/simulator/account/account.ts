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

/** What a customer who has entered nothing but a company and an address for mail shows beside it, as recorded. */
const NOTHING_SAID = {
  first_name: "",
  last_name: "",
  address_1: "",
  address_2: "",
  city: "",
  state: "",
  zip: "",
  country: "",
  phone: "",
  tax_id: "",
  credit_card: { last_four: null, expiry: null },
  billing_source: "compute",
  active_promotions: [],
};

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
      return { ...shown, ...NOTHING_SAID, active_since: timestamp(activeSince) };
    },
  }),
];
