/** Reads the price list of the cloud, for the status and for plans. */
import type { Json } from "../../api/types.ts";
import { dollars } from "../kind/monthly.ts";
import { reportedOf } from "../kind/object.ts";
import type { Connected, Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";
import { catalogRows } from "./catalog-reads.ts";

/**
 * Returns the status field `monthly` of a kind with prices. If the price list is unreadable or slow, the field keeps its value, so
 * the list delays no status.
 */
export async function readMonthly(ctx: Observed): Promise<{ monthly?: Json | undefined }> {
  const { monthly } = ctx.kind;
  if (!monthly) return {};
  const list = await priceRows(ctx);
  if (!list) return { monthly: reportedOf(ctx.object)["monthly"] };
  const price = monthly.price(monthly.observed(ctx.row), list);
  return { monthly: price === undefined ? undefined : dollars(price) };
}

/** Returns the price list; undefined if the list is unreadable or slow, or if the kind has no price. */
export async function priceRows(ctx: Connected): Promise<Json[] | undefined> {
  const { monthly } = ctx.kind;
  return monthly && promptly(ctx, catalogRows(ctx, monthly.list));
}

/** Returns undefined if the answer takes too long. */
async function promptly<T>({ environment: { clock } }: Connected, answer: Promise<T>): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.schedule(times.soon, () => resolve(undefined));
  });
  return Promise.race([answer, late]).finally(cancel);
}
