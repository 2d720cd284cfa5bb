/** Each case breaks one rule of the judge. The counterpart of a case breaks no rule. */
import { describe, expect, it } from "vitest";
import { begin, cases } from "./cases.ts";
import type { Case } from "./cases.ts";
import type { TenantFacts } from "./judge/facts.ts";
import { rules } from "./rules.ts";

async function broken(
  { rule, sharing = "own" }: Pick<Case, "rule" | "sharing">,
  does: Case["breaks"],
): Promise<string[]> {
  const stage = begin(sharing);
  await does(stage);
  return rules[rule]!(stage).map(({ what }) => what);
}

describe("the judge", () => {
  it.each(cases)("$rule: finds $what, because $why", async ({ what, breaks, ...at }) => {
    expect(await broken(at, breaks)).toContain(what);
  });

  it.each(cases)("$rule: finds nothing in the counterpart of $what", async ({ keeps, ...at }) => {
    expect(await broken(at, keeps)).toEqual([]);
  });

  it("no internal error: finds an error in the log", () => {
    const logged = () => [{ level: "error" as const, message: "Reconciler error", fields: { key: "Firewall/shop/a" } }];
    const { books, life, world } = begin("own");
    const facts: TenantFacts = { books, life, world: { ...world, logged } };
    expect(rules["no internal error"]!(facts).map(({ what }) => what)).toEqual(["Reconciler error: "]);
  });

  it("has a case for each rule", () => {
    const tried = new Set([...cases.map(({ rule }) => rule), "no internal error"]);
    expect(Object.keys(rules).filter((rule) => !tried.has(rule))).toEqual([]);
  });
});
