/** Price per month of a cloud object, before and after the requests of a plan. */
import type { Json } from "../../api/types.ts";

export interface Monthly<S = Record<string, unknown>, W = Record<string, unknown>> {
  /** Path of the price list. The operator reads the list at most once an hour. */
  list: string;
  /** Returns the price of the cloud object in US dollars. Undefined if the list has no price. */
  observed: (wire: W, list: Json) => number | undefined;
  /** Returns the price of the cloud object as the spec describes it. `wire`: undefined before the creation. */
  desired: (spec: S, list: Json, wire?: W) => number | undefined;
}

/** Returns an amount as text. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}
