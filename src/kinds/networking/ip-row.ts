import * as z from "zod";
import { whole } from "../wire.ts";

/** A row of the address list of the account. All kinds read the same fields of the list. */
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
