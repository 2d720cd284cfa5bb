import type { Control } from "../control/control.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { ROWS, table, text } from "./sections.ts";

/** Payload fields that contain the ID of a row. The field has the name of the table. */
const OBJECTS = ["instance", "disk", "database", "image"];

/** Payload fields for internal use. */
const INWARD = new Set(["event", "run"]);

/** The page shows larger numbers as times. */
const MOMENTS = Date.UTC(2000, 0);

/** Returns the table of planned jobs, by due time. Jobs of deleted objects are omitted, because such jobs do nothing. */
export function jobsTable(control: Control): Html {
  const now = control.clock.now();
  const exists = existing(control);
  const jobs = control
    .rows("job", "")
    .filter((job) => exists(String(job["account"]), job["payload"] as Record<string, unknown>))
    .toSorted((a, b) => Number(a["dueAt"]) - Number(b["dueAt"]));
  const lines = jobs.slice(0, ROWS).map((job) => {
    const of = Object.entries(job["payload"] as object).filter(
      ([key, value]) => ["number", "string"].includes(typeof value) && !INWARD.has(key),
    );
    return html`<tr>
      <th scope="row">${text(job["name"])}</th>
      <td>${text(job["account"])}</td>
      <td>${of.map(([key, value]) => html`<span class="soft">${key}</span> ${shown(value)} `)}</td>
      <td class="number">${duration(Number(job["dueAt"]) - now)}</td>
    </tr>`;
  });
  return table(["Job", "Account", "Payload", "#Due in"], lines, "No job is planned.");
}

/** Returns a function that checks the objects in a payload. Each table is read once. */
function existing(control: Control): (account: string, payload: Record<string, unknown>) => boolean {
  const ids = new Map<string, Set<string>>();
  const idsOf = (name: string, account: string): Set<string> => {
    const known = ids.get(`${name} ${account}`) ?? new Set(control.rows(name, account).map((row) => String(row["id"])));
    ids.set(`${name} ${account}`, known);
    return known;
  };
  return (account, payload) =>
    OBJECTS.every((name) => payload[name] === undefined || idsOf(name, account).has(text(payload[name])));
}

function shown(value: unknown): string {
  if (typeof value !== "number" || value < MOMENTS) return text(value);
  return `${new Date(value).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
