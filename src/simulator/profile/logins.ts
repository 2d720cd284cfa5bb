import { DAY_MS } from "../server/clock.ts";
import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { timestamp } from "../server/wire.ts";
import { LOGINS } from "./tables.ts";
import type { LoginRow } from "./tables.ts";

const path = "/profile/logins";

/** The service keeps logins for 90 days (part 1 section 2.5). */
const KEPT_MS = 90 * DAY_MS;

/** Serves the user's logins, including failed logins. */
export const loginOperations = [
  operation({
    method: "GET",
    path,
    summary: "List logins of the last 90 days",
    scopes: ["account:read_only"],
    paged: { filterable: [] },
    handler(context) {
      const logins = context.world.store.children(LOGINS, context.account, context.caller.user.username);
      return rowList(
        logins.filter((login) => isRecent(login, context.now)),
        present,
      );
    },
  }),
  operation({
    method: "GET",
    path: `${path}/{loginId}`,
    summary: "View a login",
    scopes: ["account:read_only"],
    handler(context: Context) {
      const login = rowOf(context, LOGINS, context.params["loginId"]);
      if (login.username !== context.caller.user.username || !isRecent(login, context.now)) throw notFound();
      return present(login);
    },
  }),
];

function isRecent(login: Readonly<LoginRow>, now: number): boolean {
  return login.datetime >= now - KEPT_MS;
}

function present({ datetime, ...shown }: LoginRow): unknown {
  return { ...shown, datetime: timestamp(datetime) };
}
