import type { Control } from "../control/control.ts";
import type { LedgerEntry } from "../ledger/ledger.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { shownBody } from "./redacted.ts";
import { table } from "./sections.ts";

/** Number of requests in a table. */
const REQUESTS = 50;

/** Returns the newest requests that change data, newest first. */
export function writes(control: Control): Html {
  return requests(control, control.ledger({ last: REQUESTS, mutating: true }), "No request changed data.");
}

/** Returns the newest requests that only read, newest first. */
export function reads(control: Control): Html {
  return requests(control, control.ledger({ last: REQUESTS, method: "GET" }), "No request read data.");
}

function requests(control: Control, entries: readonly LedgerEntry[], empty: string): Html {
  const lines = entries.toReversed().map((entry) => line(control, entry));
  return table(["#Id", "Received", "Token", "Request", "Status", "#Rows changed", "Fault"], lines, empty);
}

function line(control: Control, entry: LedgerEntry): Html {
  const failed = entry.status === null || entry.status >= 400;
  return html`<tr>
    <td class="number">${entry.id}</td>
    <td class="narrow">${time(entry.receivedAt)}</td>
    <td>${entry.token ?? ""}</td>
    <td><code>${entry.method} ${entry.path}</code>${bodies(entry, control.response(entry.id))}</td>
    <td class="${failed ? "bad" : "good"}">${entry.status ?? "no response"}</td>
    <td class="number">${entry.changes.length === 0 ? "" : entry.changes.length}</td>
    <td>${entry.fault ?? ""}</td>
  </tr>`;
}

function bodies({ body }: LedgerEntry, response: string | null | undefined): Html {
  return html`<details>
    <summary>Request and response</summary>
    <h4>Request</h4>
    ${body === "" ? html`<p class="soft">The request has no body.</p>` : html`<pre>${shownBody(body)}</pre>`}
    <h4>Response</h4>
    ${shownResponse(response)}
  </details>`;
}

function shownResponse(response: string | null | undefined): Html {
  if (response === null) return html`<p class="soft">The response is too long to show.</p>`;
  if (response === undefined) return html`<p class="soft">The simulator has no stored response.</p>`;
  return html`<pre>${shownBody(response)}</pre>`;
}

function time(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
