/** A row of the table of the demo. */
export interface Row {
  kind: string;
  name: string;
  /** Status of the condition Ready: True, False or Unknown. `-` before the first reconcile. */
  ready: string;
  reason: string;
  message: string;
}

/** Returns true if the list has objects, and all objects are ready. */
export function allReady(rows: Row[]): boolean {
  return rows.length > 0 && rows.every((row) => row.ready === "True");
}

/**
 * Returns the table as lines, with at most `columns` characters each and at most `height` lines. A message that does not fit
 * beside its row follows on lines of its own. If the table is too high, rows that are ready are omitted first, and the last line
 * counts them.
 */
export function renderTable(rows: Row[], { columns, height }: { columns: number; height: number }): string[] {
  const header = { kind: "KIND", name: "NAME", ready: "READY", reason: "REASON", message: "MESSAGE" };
  const longest = (field: "kind" | "name" | "ready" | "reason"): number =>
    Math.max(...[header, ...rows].map((row) => row[field].length));
  const [kind, ready] = [longest("kind"), longest("ready")];
  // In a narrow terminal, the names are cut first, so that the table still shows the column READY.
  const name = Math.min(longest("name"), Math.max(shortestName, columns - kind - ready - 7));
  const widths = { kind, name, ready, reason: longest("reason") };
  const head = linesOf(header, widths, columns).slice(0, 1);
  const all = rows.map((row) => ({ row, lines: linesOf(row, widths, columns) }));
  if (head.length + all.flatMap(({ lines }) => lines).length <= height)
    return [head, ...all.map(({ lines }) => lines)].flat();
  const sorted = [...all.filter(({ row }) => !isReady(row)), ...all.filter(({ row }) => isReady(row))];
  const shown = [...head];
  let count = 0;
  for (const { lines } of sorted) {
    if (shown.length + lines.length + 1 > height) continue;
    shown.push(...lines);
    count += 1;
  }
  return [...shown, cut(`… and ${rows.length - count} more`, columns)];
}

const shortestName = 8;

/** Returns the line of a row, and the lines of a message that does not fit beside the row. */
function linesOf(row: Row, widths: Record<"kind" | "name" | "ready" | "reason", number>, columns: number): string[] {
  const { kind, name, ready, reason } = widths;
  const cells = [padded(row.kind, kind), padded(row.name, name), padded(row.ready, ready), padded(row.reason, reason)];
  const line = cells.join("  ");
  const message = oneLine(row.message);
  const whole = `${line}  ${message}`.trimEnd();
  return whole.length <= columns ? [whole] : [cut(line, columns), ...wrapped(message, columns)];
}

/** Returns a text as indented lines of at most `columns` characters, broken between words if possible. */
function wrapped(text: string, columns: number): string[] {
  const width = Math.max(1, columns - 4);
  const lines: string[] = [];
  for (let left = text; left !== "";) {
    const space = left.length > width ? left.lastIndexOf(" ", width) : -1;
    const end = space > 0 ? space : width;
    lines.push(`    ${left.slice(0, end)}`);
    left = left.slice(end).trimStart();
  }
  return lines;
}

/** Returns the text with the width of the column. */
function padded(cell: string, width: number): string {
  return cut(cell, width).padEnd(width);
}

/** Returns a line for each changed row, for output that is not a terminal. */
export function renderChanges(before: Row[], rows: Row[]): string[] {
  const known = new Map(before.map((row) => [keyOf(row), JSON.stringify(row)]));
  return rows.filter((row) => known.get(keyOf(row)) !== JSON.stringify(row)).map(plain);
}

/** Returns a text such as `12 of 14 ready, 0 min 31 s`. */
export function summary(rows: Row[], elapsed: string): string {
  return `${rows.filter(isReady).length} of ${rows.length} ready, ${elapsed}`;
}

/** Returns the rows that are not ready. */
export function pending(rows: Row[]): Row[] {
  return rows.filter((row) => !isReady(row));
}

/** Returns a row as one line. */
export function plain({ kind, name, ready, reason, message }: Row): string {
  const state = ready === "True" ? "ready" : ready === "-" ? "not reconciled yet" : `not ready: ${reason}`;
  return `${kind}/${name} ${state}${message === "" || ready === "True" ? "" : ` (${oneLine(message)})`}`;
}

const isReady = (row: Row): boolean => row.ready === "True";
const keyOf = (row: Row): string => `${row.kind}/${row.name}`;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function cut(line: string, columns: number): string {
  const text = line.trimEnd();
  return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
}
