import type { Comparison } from "./replay.ts";

/** A difference that is accepted, and why. */
export interface Reason {
  /** `GET /compute/instances/{computeId}`. */
  readonly operation: string;
  /** What differs, as the comparison writes it; `*` stands for any text. */
  readonly what: string;
  readonly reason: string;
}

/** Reads a table of reasons: operation, difference and reason, separated by tabs; lines that begin with `#` are comments. */
export function readReasons(table: string): Reason[] {
  const lines = table.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [operation = "", what = "", reason = ""] = line.split("\t");
    if (reason === "") throw new Error(`a line of the table of reasons has no reason: ${line}`);
    return { operation, what, reason };
  });
}

/** The accepted differences. */
export interface Accepted {
  /** The documents say something else expressly, and stand. */
  readonly documented: readonly Reason[];
  readonly reasons: readonly Reason[];
}

export interface Verdict {
  readonly lines: string[];
  /** False if a difference is not accepted, an accepted difference no longer exists, or too many interactions need a reason. */
  readonly good: boolean;
}

/** At most this part of the interactions may differ for a reason. */
const MOST = 0.05;

/** Judges the comparisons: each difference must be accepted, and each accepted difference must exist. */
export function judgeReplay(comparisons: readonly Comparison[], { documented, reasons }: Accepted): Verdict {
  const all = [...documented, ...reasons];
  const used = new Map<Reason, number>();
  const unexplained = new Map<string, string[]>();
  const counts = { match: 0, documented: 0, reason: 0, differ: 0 };
  for (const { recording, interaction, differences } of comparisons) {
    const found = differences.map((what) => ({ what, reason: reasonFor(all, interaction.operation, what) }));
    const needed = new Set(found.flatMap(({ reason }) => reason ?? []));
    for (const reason of needed) used.set(reason, (used.get(reason) ?? 0) + 1);
    for (const { what, reason } of found)
      if (!reason) unexplained.set(`${interaction.operation}: ${what}`, [...(unexplained.get(what) ?? []), recording]);
    if (found.some(({ reason }) => !reason)) counts.differ += 1;
    else if (found.length === 0) counts.match += 1;
    else if ([...needed].every((reason) => documented.includes(reason))) counts.documented += 1;
    else counts.reason += 1;
  }
  const stale = all.filter((reason) => !used.has(reason));
  const share = (count: number): string =>
    `${count} (${((count / Math.max(1, comparisons.length)) * 100).toFixed(1)} %)`;
  return {
    lines: [
      `${comparisons.length} interactions: ${share(counts.match)} match, ${share(counts.documented)} follow the documents, ` +
        `${share(counts.reason)} differ for a reason, ${share(counts.differ)} differ`,
      ...counted(used),
      ...Array.from(unexplained, ([what, names]) => `DIFFERS ${what} (${names.join(", ")})`),
      ...stale.map(({ operation, what }) => `no longer differs: ${operation}: ${what}`),
    ],
    good: unexplained.size + stale.length === 0 && counts.reason <= comparisons.length * MOST,
  };
}

function reasonFor(reasons: readonly Reason[], operation: string, what: string): Reason | undefined {
  return reasons.find((each) => each.operation === operation && matches(each.what, what));
}

function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first) || !text.endsWith(rest.at(-1) ?? "")) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** How many interactions need each reason, the most frequent first. */
function counted(used: ReadonlyMap<Reason, number>): string[] {
  const totals = new Map<string, number>();
  for (const [{ reason }, count] of used) totals.set(reason, (totals.get(reason) ?? 0) + count);
  return [...totals]
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${String(count).padStart(5)}  ${reason}`);
}
