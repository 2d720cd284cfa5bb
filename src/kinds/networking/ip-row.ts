import * as z from "zod";
import { whole } from "../wire.ts";

/** A row of the account's addresses: all kinds that read the list read the same of it. */
export const ipRow = z.object({
  address: z.string(),
  type: z.string().nullish(),
  public: z.boolean().nullish(),
  compute_id: whole().nullish(),
  region: z.string().nullish(),
  gateway: z.string().nullish(),
  prefix: whole().nullish(),
  rdns: z.string().nullish(),
});
