import * as z from "zod";
import { refused } from "../server/errors.ts";
import { operation } from "../server/operation.ts";
import { PREFERENCES } from "./tables.ts";

const path = "/profile/preferences";

/** Limit of the body in characters (part 1 section 4.2 rule 3). */
const LONGEST = 65_535;

/** Serves the data that an OAuth client stores for the user. A client cannot read the data of another client. */
export const preferenceOperations = [
  operation({
    method: "GET",
    path,
    summary: "View the preferences that the calling OAuth client keeps",
    scopes: ["account:read_only"],
    verbatim: true,
    handler: ({ world, account, caller: { user, token } }) =>
      world.store.get(PREFERENCES, account, `${user.username} ${token.clientId}`)?.preferences ?? {},
  }),
  operation({
    method: "PUT",
    path,
    summary: "Replace the preferences that the calling OAuth client keeps",
    scopes: ["account:read_write"],
    verbatim: true,
    body: z.record(z.string(), z.unknown()),
    handler({ world, account, caller: { user, token }, body, rawBody }) {
      if (rawBody.length > LONGEST) throw refused(`The body must have at most ${LONGEST} characters`);
      const row = { username: user.username, clientId: token.clientId, preferences: body };
      return world.store.put(PREFERENCES, account, row).preferences;
    },
  }),
];
