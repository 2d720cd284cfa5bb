/** Writes the part of the guide to kinds about the detection time of drift, field by field. */
import { commonSpec } from "../core/kind/common-schema.ts";
import type { Kind } from "../core/kind/owned.ts";
import { specField } from "../core/kind/spec-path.ts";
import type { LoadedKind } from "./load-kinds.ts";
import { code, table } from "./markdown.ts";

const intro = `
## How soon drift is seen

The operator detects a change by a different client after:

`;

/** Longest delay until the operator detects a change by a different client, by the column of the field. */
export const delays = {
  list: "one poll (`--poll-seconds`, `spec.pollSeconds` of the account: 60 s); one list for all objects",
  "own request":
    "one poll. The field controls access or money, and no list shows the field. Each object costs a request, within a fifth of the rate limit (160 objects per minute). With more objects, `cloudplatform_guard_age_seconds` shows the delay.",
  event: "about ten seconds, by an event of the account. If the token cannot read events, as *own request*.",
  resync: "ten minutes (`--resync-minutes`), or about ten seconds with an event of the cloud object",
  "not compared": "no detection. The cloud API does not show the field, or the field controls only the operator.",
};

const outro = `
The operator corrects or reports the change: see \`spec.management.driftPolicy\` and the disruptive fields. The operator does not compare
kinds that run once. The operator compares a published Secret in each reconcile of its object, at the latest in the resync.

`;

type Column = keyof typeof delays;

const columns = Object.keys(delays) as Column[];

/** Returns the table, with a row for each kind whose cloud objects have a spec to compare. */
export function driftGuide(loaded: LoadedKind[]): string {
  const rows = loaded.flatMap(({ kind }) => (isCompared(kind) ? [rowOf(kind)] : []));
  return `${intro}${table(["column", "delay at most"], Object.entries(delays))}${outro}${table(["kind", ...columns], rows)}`;
}

export function isCompared(kind: object): kind is Kind {
  return "shape" in kind && (kind.shape === "owned" || kind.shape === "setting");
}

function rowOf(kind: Kind): string[] {
  const byColumn = fieldsByColumn(kind);
  return [kind.kind, ...columns.map((column) => (byColumn.get(column) ?? []).map(code).join(", "))];
}

/** Returns the fields of the spec by their column, without the common fields. */
export function fieldsByColumn(kind: Kind): Map<Column, string[]> {
  const shared = new Set(["ttlSecondsAfterFinished", ...Object.keys(commonSpec(undefined))]);
  const fields = Object.keys(kind.spec.shape).filter((name) => !shared.has(name));
  return Map.groupBy(fields, (field) => columnOf(kind, field));
}

/**
 * Returns the column of a field. A step takes precedence, because the list does not show a field sent only with the
 * create.
 */
function columnOf(kind: Kind, field: string): Column {
  const steps = Object.values(kind.steps ?? {}).filter(({ specFields }) => specFields.includes(field));
  const reading = steps.find(({ read }) => read);
  if (reading?.guards) return reading.guards === "told" ? "event" : "own request";
  if (reading) return "resync";
  return steps.length > 0 || isInRow(kind, field) ? "list" : "not compared";
}

function isInRow(kind: Kind, field: string): boolean {
  return Object.entries(kind.fields).some(([name, { observed, on }]) => {
    const [first] = specField(kind, name)?.path.split(".") ?? [];
    return first === field && observed !== undefined && on !== "create";
  });
}
