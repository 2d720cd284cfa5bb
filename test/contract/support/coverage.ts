/** Which operations of the cloud API the operator calls, and for which kinds. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { noteOperations, type Phase } from "./scopes.ts";

const file = new URL("../../../docs/coverage.md", import.meta.url);
const documented = readFileSync(new URL("../../simulator/endpoints.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("\t"))
  .map(([method = "", , path = ""]) => `${method} ${path}`);

/** Operation → the kinds that it was called for, each with the tests. */
const called = new Map<string, Map<string, Set<string>>>();

/** Keeps what the operator has called for a kind, or for what it needs, since the ledger was emptied, and in which test. */
export function noteCalls(kind: string, test: string, { control }: Simulator, phase?: Phase): void {
  const names: string[] = [];
  for (const { token, method, operation } of control.ledger({})) {
    // Public catalogs are read without a token; other clients have tokens of their own.
    if (operation === null || (token !== null && token !== "demo")) continue;
    const name = `${method} ${operation}`;
    if (token !== null) names.push(name);
    const kinds = called.get(name) ?? new Map<string, Set<string>>();
    called.set(name, kinds.set(kind, (kinds.get(kind) ?? new Set()).add(test)));
  }
  noteOperations(kind, names, phase);
}

/** Operations that no kind is named for, or that the test named beside it did not call; `UPDATE_GOLDEN=1` writes the guide. */
export function uncovered(): string[] {
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, guide());
  const rows = [...readFileSync(file, "utf8").matchAll(/^\| `(\w+ \S+)` \| (\w*) \| (.*) \|$/gm)];
  const named = new Map(rows.map(([, operation = "", kind = "", test = ""]) => [operation, { kind, test }]));
  return documented.filter((operation) => {
    const { kind = "", test = "" } = named.get(operation) ?? {};
    return !called.get(operation)?.get(kind)?.has(test);
  });
}

function guide(): string {
  const rows = documented.map((operation) => {
    const kinds = called.get(operation);
    const [kind = ""] = [...(kinds?.keys() ?? [])].toSorted(
      (a, b) => rank(operation, a) - rank(operation, b) || (a < b ? -1 : 1),
    );
    const [test = ""] = [...(kinds?.get(kind) ?? [])].toSorted();
    return `| \`${operation}\` | ${kind} | ${test} |\n`;
  });
  return `${head}${rows.join("")}`;
}

const head = `<!-- Written by the test of the golden requests, with UPDATE_GOLDEN=1; do not edit. -->

# Operations of the cloud API

The table lists every documented operation of the cloud API, with a kind and a test that calls the operation.
[\`golden.cluster.test.ts\`](../test/contract/golden.cluster.test.ts) runs the examples of all kinds on a real API server, and
[special cases](../test/contract/support/occasions.ts) without an example. The test reads the ledger of the simulator, and fails if the
operator did not call an operation.

| operation | kind | test |
|---|---|---|
`;

/** The kind that an operation is about comes before those that need it besides. */
function rank(operation: string, kind: string): number {
  const words = operation.toLowerCase().replaceAll(/[^a-z]/g, "");
  const parts = kind.split(/(?=[A-Z][a-z])/).map((part) => part.toLowerCase().replace(/y$/, ""));
  return -parts.filter((part) => words.includes(part)).length / parts.length;
}
