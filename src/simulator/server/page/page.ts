import type { Control } from "../control/control.ts";
import { Html, html } from "./html.ts";
import { jobsTable } from "./jobs.ts";
import { KINDS, accountsTable, requestsTable, resources } from "./sections.ts";
import { STYLE } from "./style.ts";
import { switches } from "./switches.ts";

/** What a page is asked to show. */
export interface View {
  /** The kind of row whose rows are listed; default: instances. */
  kind?: string | undefined;
  /** `on`: the page renews itself. */
  renew?: string | undefined;
  /** What an action did, or why it did not. */
  done?: string | undefined;
  wrong?: string | undefined;
}

/** How often a page renews itself that was asked to, seconds. */
const RENEW = 5;

/** The simulator for people: what there is and what happened, and the switches; without scripts. */
export function controlPage(control: Control, view: View): string {
  const kind = view.kind !== undefined && view.kind in KINDS ? view.kind : "instance";
  const now = new Date(control.clock.now()).toISOString().replace("T", " ").slice(0, 19);
  const renewing = view.renew === "on";
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${renewing && html`<meta http-equiv="refresh" content="${RENEW}" />`}
        <title>Simulated cloud</title>
        <link rel="icon" href="data:," />
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#main">To the content</a>
        <header>
          <h1>Simulated cloud</h1>
          <p>Its clock shows <strong>${now} UTC</strong>; time scale ${control.clock.scale()}.</p>
        </header>
        <nav aria-label="Sections">
          <a href="#switches">Switches</a><a href="#resources">Resources</a><a href="#jobs">Running jobs</a>
          <a href="#calls">Recent calls</a><a href="#accounts">Accounts</a><a href="?kind=${kind}">Show anew</a>
          ${renewing ? html`<a href="?kind=${kind}">Stop renewing</a>` : html`<a href="?kind=${kind}&amp;renew=on">Renew every ${RENEW} seconds</a>`}
          <a href="/openapi.json">OpenAPI document</a>
        </nav>
        ${notes(view)}
        <main id="main">
          <h2 id="switches">Switches</h2>
          ${switches(control)}
          <h2 id="resources">Resources of the demo account</h2>
          ${resources(control, kind)}
          <h2 id="jobs">Running jobs</h2>
          ${jobsTable(control)}
          <h2 id="calls">Recent calls</h2>
          ${requestsTable(control)}
          <h2 id="accounts">Accounts</h2>
          ${accountsTable(control)}
        </main>
      </body>
    </html>`.text
  }\n`;
}

function notes({ done, wrong }: View): Html {
  return html`${Boolean(done) && html`<p class="note" role="status">${done}</p>`}
  ${Boolean(wrong) && html`<p class="note wrong" role="alert">${wrong}</p>`}`;
}
