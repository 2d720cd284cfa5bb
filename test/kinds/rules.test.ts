import { describe, expect, it } from "vitest";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds as all } from "../../src/kinds/registry.ts";
import { refused } from "./all-refused.ts";

const everyKind = [...all, cloudAccount];
const kinds = everyKind.filter(({ kind }) => refused.some((one) => one.kind === kind));

function problems(kind: string, spec: unknown): string {
  const parsed = kinds.find((one) => one.kind === kind)!.spec.safeParse(spec);
  return parsed.success
    ? ""
    : parsed.error.issues.map(({ path, message }) => `${["spec", ...path].join(".")}: ${message}`).join("; ");
}

describe("the parser refuses what admission refuses", () => {
  it.each(refused)("$kind: $because", ({ kind, spec, says }) => {
    expect(problems(kind, spec)).toContain(says);
  });
});

describe("the parser accepts", () => {
  const examples = kinds.flatMap(({ kind, examples }) =>
    examples.map(({ name, spec, changes = {} }) => ({ kind, name, spec, changes })),
  );

  it.each(examples)("the example $kind $name, and each of its changes", ({ kind, spec, changes }) => {
    expect(problems(kind, spec)).toBe("");
    for (const change of Object.values(changes)) expect(problems(kind, { ...spec, ...change })).toBe("");
  });
});

/** So many, each of them another mistake. */
const fewest = 15;

it.each(everyKind)("$kind: at least fifteen specs that are refused", ({ kind }) => {
  const specs = refused.filter((one) => one.kind === kind).map(({ spec }) => JSON.stringify(spec));
  expect(new Set(specs).size).toBeGreaterThanOrEqual(fewest);
  expect(specs.filter((spec, index) => specs.indexOf(spec) !== index)).toEqual([]);
});
