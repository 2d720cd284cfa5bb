/** What the demo shows of one object. */
export interface Row {
  kind: string;
  name: string;
  /** Status of the condition Ready: True, False or Unknown; `-` before the operator saw the object. */
  ready: string;
  reason: string;
  message: string;
}

/** True when there is something and all of it is ready. */
export function allReady(rows: Row[]): boolean {
  return rows.length > 0 && rows.every((row) => row.ready === "True");
}

/**
 * The table as lines, none wider than `columns` and no more than `height`: where it does not fit, what is ready is left
 * out first, and a last line says how much.
 */
export function renderTable(rows: Row[], { columns, height }: { columns: number; height: number }): string[] {
  const header = { kind: "KIND", name: "NAME", ready: "READY", reason: "REASON", message: "MESSAGE" };
  const space = Math.max(1, height - 2);
  const fits = rows.length <= space;
  const shown = fits ? rows : [...pending(rows), ...rows.filter(isReady)].slice(0, space);
  const cells = [header, ...shown].map((row) => [row.kind, row.name, row.ready, row.reason, oneLine(row.message)]);
  const [kind = 0, name = 0, ready = 0, reason = 0] = [0, 1, 2, 3].map((index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  );
  // In a narrow terminal names give way, so that it still shows what is ready.
  const widths = [kind, Math.min(name, Math.max(shortestName, columns - kind - ready - 7)), ready, reason];
  const lines = cells.map((line) => cut(line.map((cell, index) => padded(cell, widths[index])).join("  "), columns));
  return fits ? lines : [...lines, cut(`… and ${rows.length - shown.length} more`, columns)];
}

const shortestName = 8;

/** As wide as the column; the last one has no width. */
function padded(cell: string, width: number | undefined): string {
  return width === undefined ? cell : cut(cell, width).padEnd(width);
}

/** A plain line for each row that differs from before, for output that is not a terminal. */
export function renderChanges(before: Row[], rows: Row[]): string[] {
  const known = new Map(before.map((row) => [keyOf(row), JSON.stringify(row)]));
  return rows.filter((row) => known.get(keyOf(row)) !== JSON.stringify(row)).map(plain);
}

/** `12 of 14 ready, 0 min 31 s` and the like. */
export function summary(rows: Row[], elapsed: string): string {
  return `${rows.filter(isReady).length} of ${rows.length} ready, ${elapsed}`;
}

/** The rows that are not ready. */
export function pending(rows: Row[]): Row[] {
  return rows.filter((row) => !isReady(row));
}

/** One row as a sentence-like line. */
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
