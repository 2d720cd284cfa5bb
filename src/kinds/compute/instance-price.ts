/** Price of an instance per month: its type in its region, and its backups. */
import type { Monthly } from "../../core/kind/monthly.ts";
import { priceOf, priceList } from "../prices.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import type { InstanceRow } from "./instance-status.ts";

export const instancePrice: Monthly<InstanceSpec, InstanceRow> = {
  list: priceList,
  observed: ({ type, region, backups }) => ({ type, region, backups: backups?.enabled }),
  desired: ({ type, region, backups }) => ({ type, region, backups: backups?.enabled }),
  price: priceOf,
};
