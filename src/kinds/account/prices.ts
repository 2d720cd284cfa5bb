/** Monthly prices of instances, from the cloud's list of types. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { readable } from "../wire.ts";

const price = z.object({ monthly: z.number().nullish() }).nullish();
const inRegions = z.array(z.object({ id: z.string(), monthly: z.number().nullish() })).nullish();
const offer = z.object({ price, region_prices: inRegions });
const type = offer.extend({ id: z.string(), addons: z.object({ backups: offer.nullish() }).nullish() });

type Offer = z.output<typeof offer>;

/** Returns a function for the price of an instance, with enabled backups. Undefined if the list of types has no price. */
export function monthlyPrices(types: Json | undefined): (instance: JsonObject) => number | undefined {
  const known = new Map(readable(type, types).map((one) => [one.id, one] as const));
  return ({ type: name, region, backups }) => {
    const found = typeof name === "string" ? known.get(name) : undefined;
    const own = found && monthly(found, region);
    if (own === undefined) return undefined;
    const { enabled } = typeof backups === "object" && backups !== null ? (backups as JsonObject) : {};
    return enabled === true ? own + (monthly(found?.addons?.backups, region) ?? 0) : own;
  };
}

function monthly(found: Offer | null | undefined, region: Json | undefined): number | undefined {
  const here = found?.region_prices?.find(({ id }) => id === region);
  return here?.monthly ?? found?.price?.monthly ?? undefined;
}
