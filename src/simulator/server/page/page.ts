import type { Control } from "../control/control.ts";
import { Html, html } from "./html.ts";
import { jobsTable } from "./jobs.ts";
import { changeForm } from "./change.ts";
import { reads, writes } from "./requests.ts";
import { KINDS, accountsTable, resources } from "./sections.ts";
import { STYLE } from "./style.ts";
import { switches } from "./switches.ts";

/** The query of the page. */
export interface View {
  /** Kind of the listed rows. Defaults to instances. */
  kind?: string | undefined;
  /** Key of the row to change. */
  id?: string | undefined;
  /** `on` reloads the page periodically. */
  reload?: string | undefined;
  /** Result of an action. `wrong` is the reason of a failure. */
  done?: string | undefined;
  wrong?: string | undefined;
}

/** Seconds between reloads of the page. */
const RELOAD = 5;

/** Returns the page: state, newest requests, and forms for changes. The page has no scripts. */
export function controlPage(control: Control, view: View): string {
  const kind = view.kind !== undefined && view.kind in KINDS ? view.kind : "instance";
  const now = new Date(control.clock.now()).toISOString().replace("T", " ").slice(0, 19);
  const reloading = view.reload === "on";
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${reloading && html`<meta http-equiv="refresh" content="${RELOAD}" />`}
        <title>Simulated cloud</title>
        <link rel="icon" href="data:," />
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <h1>Simulated cloud</h1>
          <p>The simulated time is <strong>${now} UTC</strong>; time scale ${control.clock.scale()}.</p>
        </header>
        <nav aria-label="Sections">
          <a href="#controls">Controls</a><a href="#resources">Resources</a><a href="#jobs">Jobs</a>
          <a href="#writes">Writes</a><a href="#reads">Reads</a><a href="#accounts">Accounts</a
          ><a href="?kind=${kind}">Reload</a>
          ${reloading ? html`<a href="?kind=${kind}">Stop reloading</a>` : html`<a href="?kind=${kind}&amp;reload=on">Reload every ${RELOAD} seconds</a>`}
          <a href="/openapi.json">OpenAPI document</a>
        </nav>
        ${notes(view)}
        <main id="main">
          <h2 id="controls">Controls</h2>
          ${switches(control)}
          <h2 id="resources">Resources of the demo account</h2>
          ${view.id !== undefined && changeForm(control, kind, view.id)} ${resources(control, kind)}
          <h2 id="jobs">Jobs</h2>
          ${jobsTable(control)}
          <h2 id="writes">Requests that change data</h2>
          ${writes(control)}
          <h2 id="reads">Requests that only read</h2>
          ${reads(control)}
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
