/** The part of the guide to kinds that says how soon a difference in the cloud is seen, field by field. */
import { commonSpec } from "../core/kind/common-schema.ts";
import type { Kind } from "../core/kind/owned.ts";
import { specField } from "../core/kind/spec-path.ts";
import type { LoadedKind } from "./load-kinds.ts";
import { code, table } from "./markdown.ts";

const intro = `
## How soon drift is seen

What somebody changes in the cloud behind the operator's back is seen at the latest after:

| column | after |
|---|---|
| list | one sweep (\`--sweep-seconds\`, \`spec.sweepSeconds\` of the account: 60 s), with the list that shows it for all objects |
| own request | one sweep as well: it guards access or money and no list shows it, so each object costs a request, within a fifth of the rate limit. With more objects than fit (160 a minute), \`cloudplatform_guard_age_seconds\` tells how late it is |
| event | some ten seconds, told by the account's events; where the token may not read them, as *own request* |
| slow pass | ten minutes (\`--slow-pass-minutes\`), or some ten seconds where an event of the cloud object tells |
| not compared | never: the cloud API does not show it, or it says what the operator does, not what the cloud has |

What is seen is corrected, or reported: see \`spec.management.driftPolicy\` and the fields that disrupt. What runs once is not compared. A
published Secret is compared when its object is reconciled, at the latest in the slow pass.

`;

const columns = ["list", "own request", "event", "slow pass", "not compared"] as const;

type Column = (typeof columns)[number];

/** A row for each kind whose cloud objects are compared with a spec. */
export function driftGuide(loaded: LoadedKind[]): string {
  const rows = loaded.flatMap(({ kind }) => (isCompared(kind) ? [rowOf(kind)] : []));
  return `${intro}${table(["kind", ...columns], rows)}`;
}

function isCompared(kind: object): kind is Kind {
  return "shape" in kind && (kind.shape === "owned" || kind.shape === "setting");
}

function rowOf(kind: Kind): string[] {
  const shared = new Set(["ttlSecondsAfterFinished", ...Object.keys(commonSpec(undefined))]);
  const fields = Object.keys(kind.spec.shape).filter((name) => !shared.has(name));
  const byColumn = Map.groupBy(fields, (field) => columnOf(kind, field));
  return [kind.kind, ...columns.map((column) => (byColumn.get(column) ?? []).map(code).join(", "))];
}

/** Where a step compares a field, that counts: what is sent with the creation alone is compared by nothing else. */
function columnOf(kind: Kind, field: string): Column {
  const steps = Object.values(kind.steps ?? {}).filter(({ says }) => says.includes(field));
  const reading = steps.find(({ read }) => read);
  if (reading?.guards) return reading.guards === "told" ? "event" : "own request";
  if (reading) return "slow pass";
  return steps.length > 0 || isInRow(kind, field) ? "list" : "not compared";
}

function isInRow(kind: Kind, field: string): boolean {
  return Object.entries(kind.fields).some(([name, { have, on }]) => {
    const [first] = specField(kind, name)?.path.split(".") ?? [];
    return first === field && have !== undefined && on !== "create";
  });
}
