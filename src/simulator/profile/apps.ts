import { TOKENS } from "../server/auth/identity.ts";
import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { timestamp } from "../server/wire.ts";
import { APPS } from "./tables.ts";
import type { AppRow } from "./tables.ts";

const path = "/profile/apps";
const one = `${path}/{appId}`;

/** Serves apps with access to the user's account (part 1 sections 2.5 and 4.2). */
export const appOperations = [
  operation({
    method: "GET",
    path,
    summary: "List authorized apps",
    scopes: ["account:read_only"],
    paged: { filterable: ["id", "label", "created", "expiry", "scopes", "website"] },
    handler({ world, account, caller, now }) {
      const apps = world.store.children(APPS, account, caller.user.username);
      return rowList(
        apps.filter((app) => isAlive(app, now)),
        present,
      );
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View an authorized app",
    scopes: ["account:read_only"],
    handler: (context) => present(own(context)),
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Revoke an app: its tokens expire",
    scopes: ["account:read_write"],
    handler(context) {
      const { store } = context.world;
      const { id, clientId, username } = own(context);
      for (const token of store.all(TOKENS, SHARED))
        if (token.clientId === clientId && token.username === username && token.account === context.account)
          store.put(TOKENS, SHARED, { ...token, revoked: true });
      store.remove(APPS, context.account, id);
      return {};
    },
  }),
];

function own(context: Context): Readonly<AppRow> {
  const app = rowOf(context, APPS, context.params["appId"]);
  if (app.username !== context.caller.user.username || !isAlive(app, context.now)) throw notFound();
  return app;
}

function isAlive(app: Readonly<AppRow>, now: number): boolean {
  return app.expiry === null || app.expiry > now;
}

function present({ username: _username, clientId: _clientId, created, expiry, ...shown }: AppRow): unknown {
  return { ...shown, created: timestamp(created), expiry: expiry === null ? null : timestamp(expiry) };
}
