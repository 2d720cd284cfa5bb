/*
 * Serves the account: customer data, events and the balance that buying depends on.
 * Guarantees: only users of the account read an event, for 90 days.
 * Imports server/ and no other area.
 */
import { ACCOUNTS } from "../server/auth/identity.ts";
import { notFound } from "../server/errors.ts";
import { operation } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { timestamp } from "../server/wire.ts";

/** Fields of a customer who entered only a company and an email address, from recorded traffic. */
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

/** Serves the account (not-shown section 6). */
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
