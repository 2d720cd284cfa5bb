/** Tables in the formats of `-o`. */
import stringWidth from "string-width";
import { stringify } from "yaml";
import type { JsonObject } from "../../api/types.ts";

export const formats = ["table", "json", "yaml", "name", "markdown", "csv"] as const;
/** `mermaid` and `dot` are formats of graphs, `text` is a format of plans. */
export type Format = (typeof formats)[number] | "mermaid" | "dot" | "text";

/** A list of equal items. The columns define `table`, `markdown` and `csv`; the items themselves define `json` and `yaml`. */
export interface Listed<T> {
  items: readonly T[];
  columns: Record<string, (item: T) => string | undefined>;
  /** Returns the line for `-o name`. */
  name: (item: T) => string;
  /** Returns the item for `json` and `yaml`. */
  plain: (item: T) => JsonObject;
}

/** Returns a value as JSON or YAML, with a line break at the end. */
export function dataText(value: unknown, format: "json" | "yaml"): string {
  return format === "json" ? `${JSON.stringify(value, null, 2)}\n` : stringify(value, { lineWidth: 0 });
}

/** Returns a list in a format, with a line break at the end. */
export function written<T>({ items, columns, name, plain }: Listed<T>, format: Format): string {
  if (format === "json" || format === "yaml") return dataText({ items: items.map(plain) }, format);
  if (format === "name") return items.map((item) => `${name(item)}\n`).join("");
  const rows = items.map((item) => Object.values(columns).map((value) => oneLine(value(item) ?? "")));
  const heads = Object.keys(columns);
  if (format === "csv") return [heads, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
  if (format === "markdown") return markdown(heads, rows);
  return aligned([heads.map((head) => head.toUpperCase()), ...rows]);
}

/** Terminals would execute control characters of a label. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}

function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ""))));
  return rows
    .map((row) => {
      const cells = row.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - stringWidth(cell)));
      return `${cells.join("   ").trimEnd()}\n`;
    })
    .join("");
}

function markdown(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |\n`;
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll(/[\\|<>*_`[\]]/g, String.raw`\$&`)));
  return [line(heads), line(heads.map(() => "---")), ...escaped.map(line)].join("");
}

/** RFC 4180. A spreadsheet would run a cell that begins like a formula, so such a cell gets an apostrophe. */
function csvCell(cell: string): string {
  const safe = /^[=+\-@\t]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
