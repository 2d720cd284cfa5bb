/** Price of an instance per month: its type in its region, and its backups. */
import type { Json } from "../../api/types.ts";
import type { Monthly } from "../../core/kind/monthly.ts";
import { monthlyPrices } from "../account/prices.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import type { InstanceRow } from "./instance-status.ts";

export const instancePrice: Monthly<InstanceSpec, InstanceRow> = {
  list: "/compute/types",
  observed: ({ type, region, backups }, types) => priceOf(types, { type, region, backups: backups?.enabled }),
  desired: ({ type, region, backups }, types, wire) =>
    priceOf(types, { type, region, backups: backups?.enabled ?? wire?.backups?.enabled }),
};

interface Priced {
  type: string | null | undefined;
  region: string | null | undefined;
  backups: boolean | null | undefined;
}

function priceOf(types: Json, { type, region, backups }: Priced): number | undefined {
  return monthlyPrices(types)({ type: type ?? null, region: region ?? null, backups: { enabled: backups === true } });
}
