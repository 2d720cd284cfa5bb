import type { Control } from "./control.ts";

/** Entries of the ledger that are shown, and the page's own refresh in seconds. */
const ENTRIES = 40;
const REFRESH = 5;

/** Kinds of row that are counted. */
const COUNTED = ["instance", "disk", "image", "database", "domain", "record", "firewall", "bucket", "tag", "event"];

const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:2rem;max-width:72rem}table{border-collapse:collapse;margin:.5rem 0 1.5rem}
td,th{border-bottom:1px solid #ccc;padding:.2rem .8rem .2rem 0;text-align:left}th{font-weight:600}`;

/** The state of the simulator for people, as one HTML page: read-only, renewed by itself, without scripts. */
export function controlPage(control: Control): string {
  const now = new Date(control.clock.now()).toISOString();
  const sections = [
    section(
      "Account",
      ["rows", "count"],
      COUNTED.map((table) => [table, control.rows(table).length]),
    ),
    section("Instances", ["id", "label", "status", "type", "region"], instances(control)),
    section("Faults", ["id", "fault", "played"], faults(control)),
    section("Requests", ["id", "received", "request", "status", "applied", "fault"], requests(control)),
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="${REFRESH}">
<title>Simulated cloud</title><style>${STYLE}</style></head>
<body><h1>Simulated cloud</h1><p>Its clock shows ${now}.</p>${sections.join("\n")}</body></html>\n`;
}

function instances(control: Control): unknown[][] {
  return control.rows("instance").map((row) => [row["id"], row["label"], row["status"], row["type"], row["region"]]);
}

function faults(control: Control): unknown[][] {
  return control.faults.list().map(({ id, fault, played }) => [id, JSON.stringify(fault), played]);
}

/** The newest first; bodies are left out, because they hold secrets. */
function requests(control: Control): unknown[][] {
  const time = (at: number | null) => (at === null ? "" : new Date(at).toISOString().slice(11, 23));
  return control
    .ledger({ last: ENTRIES })
    .toReversed()
    .map((entry) => [
      entry.id,
      time(entry.receivedAt),
      `${entry.method} ${entry.path}`,
      entry.status ?? "none",
      time(entry.appliedAt),
      entry.fault ?? "",
    ]);
}

function section(title: string, head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  if (rows.length === 0) return `<h2>${title}</h2><p>None.</p>`;
  const line = (cells: readonly unknown[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(String(cell))}</${tag}>`).join("")}</tr>`;
  return `<h2>${title}</h2><table>${line(head, "th")}${rows.map((row) => line(row, "td")).join("\n")}</table>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
