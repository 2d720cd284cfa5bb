/** Conditions of `--fail-on`. */
import type { Plan } from "./plan.ts";

export type FailOn = { is: "disruption" } | { is: "deletion" } | { is: "cost"; above: number };

/** Parses a condition. Throws an Error that names the permitted conditions. */
export function parseFailOn(text: string): FailOn {
  if (text === "disruption" || text === "deletion") return { is: text };
  const [, amount] = /^cost>(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`${text} is not one of disruption, deletion and cost>N`);
  return { is: "cost", above: Number(amount) };
}

/** Returns true if a condition matches. `cost`: the price per month after the plan, in US dollars. */
export function failsOn({ disruption, counts, monthly }: Plan, conditions: readonly FailOn[]): boolean {
  return conditions.some((one) => {
    if (one.is === "disruption") return disruption.length > 0;
    if (one.is === "deletion") return counts.delete + counts.replace > 0 || disruption.includes("deletes");
    return Number(monthly.after.slice(1)) > one.above;
  });
}
