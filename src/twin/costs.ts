/** Prices before and after a plan, by the functions of the Inventory and of the kinds. */
import type { Json, JsonObject } from "../api/types.ts";
import { dollars } from "../core/kind/monthly.ts";
import type { Kind } from "../core/kind/owned.ts";
import { counted, countOf } from "../kinds/account/inventory-rows.ts";
import { priceList } from "../kinds/prices.ts";
import type { AccountReads } from "./read-account.ts";

/** Rows by the path of their list. */
export type Lists = ReadonlyMap<string, JsonObject[]>;

export function listsOf({ reads }: AccountReads): Lists {
  const byPath = Map.groupBy(
    reads.filter(({ params }) => Object.keys(params).length === 0),
    ({ from }) => from,
  );
  return new Map([...byPath].map(([path, all]) => [path, all.flatMap(({ rows }) => rows as JsonObject[])]));
}

/** Returns the price of an account as an Inventory shows it. */
export function accountMonthly(lists: Lists): string {
  const answers: Record<string, Json | undefined> = { types: lists.get(priceList) };
  for (const [name, { path }] of Object.entries(counted)) answers[name] = lists.get(rowsAt(path));
  const costs = Object.keys(counted).flatMap(
    (name) => countOf(name, { answers, isManaged: () => false, ownTag: undefined }).costs,
  );
  return dollars(costs.reduce((sum, { cost = 0 }) => sum + cost, 0));
}

/** The list of all databases has fewer fields than the list of MySQL databases, and no other rows. */
function rowsAt(path: string): string {
  return path === "/databases/instances" ? "/databases/mysql/instances" : path;
}

/** Returns the price of the cloud object with the ID; $0.00 without the cloud object. Undefined without a price. */
export function objectMonthly(kind: Kind, id: string | undefined, path: string, lists: Lists): string | undefined {
  const { monthly } = kind;
  if (!monthly) return undefined;
  const row = id === undefined ? undefined : lists.get(path)?.find((one) => `${one["id"] as number}` === id);
  if (!row) return dollars(0);
  const price = monthly.price(monthly.observed(row), lists.get(monthly.list) ?? []);
  return price === undefined ? undefined : dollars(price);
}
