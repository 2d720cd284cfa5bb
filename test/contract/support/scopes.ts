/** Which scopes a token needs for each kind, for the guide: those of the operations that the operator called for it. */
import { readFileSync, writeFileSync } from "node:fs";
import { kinds } from "../../../src/kinds/registry.ts";
import { OPERATIONS } from "../../../src/simulator/registry.ts";

const file = new URL("../../../src/kinds/scopes.json", import.meta.url);

const scopesOf = new Map(OPERATIONS.map(({ method, path, scopes }) => [`${method} ${path}`, scopes ?? []]));

/** What every account asks, for whichever kind: its own scopes stand in the guide. */
const ofAccount = new Set(["GET /account", "GET /profile", "GET /account/events"]);

/** Kind → the operations that were called for its examples, once what they need was there. */
const called = new Map<string, Set<string>>();

/** What its examples need first; or an occasion, whose reads at most explain something. By default the kind itself. */
export type Phase = "needs" | "occasion";

export function noteOperations(kind: string, operations: string[], phase?: Phase): void {
  if (phase === "needs") return;
  const known = called.get(kind) ?? new Set();
  called.set(kind, known);
  for (const operation of operations)
    if (!ofAccount.has(operation) && !(phase === "occasion" && isRead(operation))) known.add(operation);
}

const isRead = (operation: string): boolean => operation.startsWith("GET ");

/** Kinds whose scopes are others than in the file; `UPDATE_GOLDEN=1` writes it. */
export function otherScopes(): string[] {
  const found = Object.fromEntries([...called.keys()].toSorted().map((kind) => [kind, scopesFor(kind)]));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>;
  return Object.keys({ ...known, ...found }).filter((kind) => known[kind]?.join() !== found[kind]?.join());
}

/** What the kinds that it needs read for themselves may be read again at any time, with a poll. */
function scopesFor(kind: string): string[] {
  const needed = [...needsOf(kind)].filter((other) => other !== kind);
  const ofNeeds = new Set(needed.flatMap((other) => operationsOf(other)));
  const own = operationsOf(kind).filter((operation) => !isRead(operation) || !ofNeeds.has(operation));
  const all = new Set(own.flatMap((operation) => scopesOf.get(operation) ?? []));
  return [...all].filter((scope) => !all.has(scope.replace(/:read_only$/, ":read_write")) || isWrite(scope)).toSorted();
}

const operationsOf = (kind: string): string[] => [...(called.get(kind) ?? [])];

const isWrite = (scope: string): boolean => scope.endsWith(":read_write");

/** The kinds of what the examples of a kind need, and of what those need. */
function needsOf(name: string, known = new Set<string>()): Set<string> {
  const examples = kinds.find(({ kind }) => kind === name)?.examples ?? [];
  for (const { kind } of examples.flatMap(({ needs }) => needs ?? []))
    if (!known.has(kind)) needsOf(kind, known.add(kind));
  return known;
}
