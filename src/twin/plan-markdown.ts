/** Prints a plan for a comment of a pull request. */
import { changeText, driftLines, summary, symbols, titleOf, waitingLine } from "./plan-text.ts";
import type { Plan, PlannedObject, PlannedOperation } from "./plan.ts";

/** Most characters of a comment. Code hosts accept 65,536. */
const most = 60_000;

/** Returns Markdown with one foldable part for each object. Omits parts that exceed the limit, and counts them. */
export function planMarkdown(plan: Plan): string {
  const { objects, refusals, assumed, unknown } = plan;
  const active = objects.filter(({ operations }) => operations.length > 0);
  const waiting = objects.filter(({ operations, waits }) => operations.length === 0 && waits);
  const parts = [
    ...active.map(folded),
    ...section("Waiting", waiting.map(waitingLine)),
    ...section("Drift that stays", driftLines(objects)),
    ...section(
      "The API server refuses",
      refusals.map(({ file, about, field, message }) => `${file}: ${about}: ${field}: ${message}`),
    ),
    ...section("Assumed, because no manifest and no cluster has them", assumed),
    ...section("Not known", unknown),
  ];
  const head = `### Plan\n\n${fenced(summary(plan))}`;
  return `${joined(head, parts)}\n`;
}

function joined(head: string, parts: readonly string[]): string {
  let text = head;
  for (const [index, part] of parts.entries()) {
    const rest = parts.length - index;
    const note = `\n\n_${rest} more parts do not fit into a comment. Use \`-o text\` to see them._`;
    if (text.length + part.length + 2 > most - note.length) return `${text}${note}`;
    text += `\n\n${part}`;
  }
  return text;
}

function folded(object: PlannedObject): string {
  const { action, operations, monthly, waits } = object;
  const lines = [
    ...operations.map(operationText),
    ...(monthly ? [`price per month: ${monthly.before} → ${monthly.after}`] : []),
    ...(waits ? [`then waits: ${waits.reason}: ${waits.message}`] : []),
  ];
  const title = escaped(`${symbols[action]} ${titleOf(object)}`);
  return `<details><summary><code>${title}</code></summary>\n\n${fenced(lines.join("\n"))}\n\n</details>`;
}

function operationText({ step, action, method, path, changes, refused }: PlannedOperation): string {
  const refusal = refused === undefined ? [] : [`   refused by the cloud: ${refused}`];
  const values = changes.map((one) => `   ${changeText(one)}`);
  return [`${step}. ${action}: ${method} ${path}`, ...values, ...refusal].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**\n\n${fenced(lines.join("\n"))}`];
}

/** A fence longer than every row of backticks in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
