import { notFound } from "../../errors.ts";
import { operation } from "../../operation.ts";
import { SHARED } from "../../store.ts";
import { ACCOUNTS } from "../../tables/identity.ts";
import { timestamp } from "../../wire.ts";

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
      const { id: _id, activeSince, greenlight: _greenlight, ...shown } = row;
      return { ...shown, active_since: timestamp(activeSince) };
    },
  }),
];
