import { notFound } from "../../errors.ts";
import { operation, rowOf } from "../../operation.ts";
import type { Context } from "../../operation.ts";
import { rowList } from "../../paging.ts";
import { LOGINS } from "../../tables/profile.ts";
import type { LoginRow } from "../../tables/profile.ts";
import { timestamp } from "../../wire.ts";

const path = "/profile/logins";

/** Logins stay readable for 90 days (part 1 section 2.5). */
const KEPT_MS = 90 * 86_400_000;

/** The user's logins to the account, also those that failed. */
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
