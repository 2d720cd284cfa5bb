import { parseSync } from "oxc-parser";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { kinds } from "../src/kinds/registry.ts";
import { filesOf } from "./support/sources.ts";

interface Expression {
  where: string;
  source: string;
  flags: string;
}

/** Every value of a tree, also the values inside it. */
function* valuesIn(value: unknown): Iterable<unknown> {
  yield value;
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* valuesIn(inner);
}

interface Literal {
  type: string;
  regex?: { pattern: string; flags: string };
  value?: unknown;
}

/** Returns literals, and texts that look like an expression: `new RegExp` gets them. */
function expressionsIn({ path, text }: { path: string; text: string }): Expression[] {
  return [...valuesIn(parseSync(path, text).program)].flatMap((node) => {
    const { type, regex, value } = (node ?? {}) as Literal;
    if (regex) return [{ where: path, source: regex.pattern, flags: regex.flags }];
    const source = type === "TemplateElement" ? (value as { raw: string }).raw : value;
    const isPattern = (type === "Literal" || type === "TemplateElement") && typeof source === "string";
    return isPattern && source.startsWith("^") && isExpression(source) ? [{ where: path, source, flags: "" }] : [];
  });
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source).source !== "";
  } catch {
    return false;
  }
}

function patternsIn({ path, text }: { path: string; text: string }): Expression[] {
  const values = [...valuesIn(parseAllDocuments(text).map((document) => document.toJS() as unknown))];
  return values.flatMap((value) => {
    const { pattern, rule } = (value ?? {}) as { pattern?: unknown; rule?: unknown };
    const plain = typeof pattern === "string" ? [pattern] : [];
    const inRule =
      typeof rule === "string" ? [...rule.matchAll(/matches\('([^']*)'\)/g)].map(([, one = ""]) => one) : [];
    return [...plain, ...inRule].map((source) => ({ where: path, source, flags: "" }));
  });
}

const expressions = [
  ...filesOf("src/**/*.ts").flatMap(expressionsIn),
  ...filesOf("crds/*.yaml").flatMap(patternsIn),
  ...kinds.flatMap(({ kind, idPattern }) => (idPattern ? [{ where: kind, source: idPattern.pattern, flags: "" }] : [])),
];

/** How the time for an expression can grow faster than the text, as an analysis of its automaton finds. */
function superlinear({ where, source, flags }: Expression): string[] {
  return analyse({ source, flags }).reports.map(({ type }) => `${where}: /${source}/${flags} (${type})`);
}

test("every regular expression of the sources and of the CRDs takes time in proportion to the text", () => {
  expect([...new Set(expressions.flatMap(superlinear))]).toEqual([]);
});

test("the test finds regular expressions in sources and CRDs, and knows those that take longer", () => {
  expect(expressions.filter(({ where }) => where.startsWith("src/")).length).toBeGreaterThan(200);
  expect(expressions.filter(({ where }) => where.startsWith("crds/")).length).toBeGreaterThan(50);
  const slow = [String.raw`^\w+\s*:\s*(.*)$`, String.raw`\s+$`, "^(a+)+$"];
  expect(slow.filter((source) => superlinear({ where: "", source, flags: "" }).length === 0)).toEqual([]);
});
