/** Price per month of a cloud object, before and after the requests of a plan. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Column } from "./described.ts";

export interface Monthly<S = Record<string, unknown>, W = Record<string, unknown>> {
  /** Path of the price list. The operator reads the list at most once an hour. */
  list: string;
  /** Returns the price of the cloud object in US dollars. Undefined if the list has no price. */
  observed: (wire: W, list: Json) => number | undefined;
  /** Returns the price of the cloud object as the spec describes it. `wire`: undefined before the creation. */
  desired: (spec: S, list: Json, wire?: W) => number | undefined;
}

export const monthlyColumn: Column = {
  name: "Monthly",
  jsonPath: ".status.monthly",
  description: "Price per month in US dollars, from the price list of the cloud.",
};

/** Status field of a kind with prices. */
export const monthlyStatus = {
  monthly: z
    .string()
    .max(32)
    .describe(
      "Price per month in US dollars, such as $12.00, from the price list of the cloud. An Inventory shows the total of an account.",
    )
    .optional(),
};

/** Returns an amount as text. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

/** Returns the amount of a text of `dollars`; 0 for a different text. */
export function amountOf(text: unknown): number {
  const [, amount] = typeof text === "string" ? (/^\$(\d{1,12}\.\d\d)$/.exec(text) ?? []) : [];
  return Number(amount ?? 0);
}
