/** Monthly prices of instances and database nodes, from the cloud's list of types: not-shown, section 3. */
import * as z from "zod";
import type { Json } from "../api/types.ts";
import type { PricedValues } from "../core/kind/monthly.ts";
import { readable } from "./wire.ts";

const price = z.object({ monthly: z.number().nullish() }).nullish();
const inRegions = z.array(z.object({ id: z.string(), monthly: z.number().nullish() })).nullish();
const offer = z.object({ price, region_prices: inRegions });
const type = offer.extend({ id: z.string(), addons: z.object({ backups: offer.nullish() }).nullish() });

type Offer = z.output<typeof offer>;

interface Priced {
  type: unknown;
  region: unknown;
  /** The cloud makes backups of the instance. */
  backups?: boolean | null | undefined;
  /** Number of nodes with this type. Defaults to 1. */
  nodes?: number | null | undefined;
}

/** Path of the list of types. */
export const priceList = "/compute/types";

/** Returns the price per month. Undefined if the list has no price for the type. */
export function monthlyPrice(
  list: Json | undefined,
  { type: name, region, backups, nodes }: Priced,
): number | undefined {
  const found = offersIn(list).get(name);
  const own = found && monthly(found, region);
  if (own === undefined) return undefined;
  const added = backups === true ? (monthly(found?.addons?.backups, region) ?? 0) : 0;
  return (own + added) * (nodes ?? 1);
}

/** Returns the price of values in the form of the spec. */
export function priceOf({ type: name, region, backups, clusterSize }: PricedValues, list: Json): number | undefined {
  const nodes = typeof clusterSize === "number" ? clusterSize : 1;
  return monthlyPrice(list, { type: name, region, backups: backups === true, nodes });
}

type Offers = ReadonlyMap<unknown, z.output<typeof type>>;

/** Offers by list, because all instances share a list. */
const known = new WeakMap<object, Offers>();

function offersIn(list: Json | undefined): Offers {
  if (!Array.isArray(list)) return new Map();
  const offers = known.get(list) ?? new Map(readable(type, list).map((one) => [one.id, one]));
  known.set(list, offers);
  return offers;
}

function monthly(found: Offer | null | undefined, region: unknown): number | undefined {
  const here = found?.region_prices?.find(({ id }) => id === region);
  return here?.monthly ?? found?.price?.monthly ?? undefined;
}
