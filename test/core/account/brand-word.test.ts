/** A wrong brand word of a known service is found when an account connects, and of an unknown service nothing is claimed. */
import { describe, expect, it } from "vitest";
import { requireBrandWord } from "../../../src/core/account/brand-word.ts";

/** The outcome for an endpoint that serves these words. */
async function outcome(configured: string, answers: Record<string, boolean | undefined>): Promise<string> {
  const isServed = (_endpoint: string, word: string) => Promise.resolve(word in answers ? answers[word] : false);
  return requireBrandWord({ configured, isServed }, "default").then(
    () => "connected",
    (error: unknown) => String(error),
  );
}

describe("an account connects if", () => {
  it.each([
    { because: "the service has the word", configured: "acme", answers: { acme: true } },
    { because: "the service has both words", configured: "compute", answers: { compute: true, linode: true } },
    { because: "no known word works either", configured: "acme", answers: {} },
    { because: "the answer is an error other than 404", configured: "compute", answers: { compute: undefined } },
    { because: "the other answers are errors", configured: "compute", answers: { linode: undefined } },
  ])("$because", async ({ configured, answers }) => {
    expect(await outcome(configured, answers)).toBe("connected");
  });
});

it.each([
  { configured: "compute", right: "linode" },
  { configured: "linode", right: "compute" },
  { configured: "acme", right: "linode" },
])("$configured instead of $right is named with the setting", async ({ configured, right }) => {
  const text = await outcome(configured, { [right]: true });
  expect(text).toContain(`no paths with the brand word ${configured}, but with ${right}.`);
  expect(text).toContain(
    `Set the brand word of the operator to ${right}: brandWord in the values of the chart, or --brand-word`,
  );
});
