import type { Control } from "../control/control.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";

/** Number of rows in a table. */
export const ROWS = 200;

/** Titles of the listed kinds, by table name. */
export const KINDS: Readonly<Record<string, string>> = {
  instance: "Instances",
  disk: "Disks",
  config: "Configs",
  backup: "Backups",
  image: "Images",
  volume: "Volumes",
  firewall: "Firewalls",
  address: "Addresses",
  domain: "Domains",
  record: "Records",
  database: "Databases",
  bucket: "Buckets",
  sshkey: "SSH keys",
  tag: "Tags",
};

/** Fields with the name of a row. `DETAILS` has fields that describe a row of any kind. */
const NAMES = ["label", "domain", "name", "address"];
const DETAILS = ["status", "type", "region", "place", "instance", "target"];

export function accountsTable(control: Control): Html {
  const accounts = control.rows("account", "");
  const tokens = control.rows("token", "");
  const users = accounts.flatMap((account) =>
    control.rows("user", String(account["id"])).map((user) => {
      const own = tokens.filter(
        (token) => token["account"] === account["id"] && token["username"] === user["username"],
      );
      return html`<tr>
        <th scope="row">${text(account["id"])}</th>
        <td>${text(user["username"])}</td>
        <td>${user["restricted"] === true ? "restricted" : "unrestricted"}</td>
        <td>${text(user["email"])}</td>
        <td class="number">${own.length}</td>
        <td class="number">${text(account["balance"])}</td>
      </tr>`;
    }),
  );
  return table(["Account", "User", "Access", "Mail", "#Tokens", "#Balance"], users);
}

/** Returns the key of a row for the control side. */
export function keyOf(row: Record<string, unknown>): string {
  return text(row["id"] ?? row["address"] ?? row["label"]);
}

/** Returns the number of rows by kind, and the rows of one kind with a link to change and a button to delete a row. */
export function resources(control: Control, kind: string): Html {
  const counts = Object.entries(KINDS).map(([name, title]) => {
    const current = name === kind ? html` aria-current="true"` : "";
    return html`<li>
      <a href="?kind=${name}#resources" ${current}>${title} <strong>${control.rows(name).length}</strong></a>
    </li>`;
  });
  const rows = control.rows(kind);
  const lines = rows
    .slice(-ROWS)
    .toReversed()
    .map((row) => resource(kind, row));
  const more = rows.length > ROWS ? html`<p class="soft">The newest ${ROWS} of ${rows.length}.</p>` : "";
  return html`<ul class="counts">
      ${counts}
    </ul>
    <p></p>
    ${table(["Id", "Name", "Details", "Without a request"], lines, `No ${(KINDS[kind] ?? kind).toLowerCase()}.`)}${more}`;
}

function resource(kind: string, row: Record<string, unknown>): Html {
  const id = keyOf(row);
  const name = NAMES.map((each) => row[each]).find((each) => typeof each === "string" && each !== "");
  const details = DETAILS.filter((each) => row[each] !== undefined && row[each] !== null && row[each] !== "");
  const shown = details.map((each) => html`<span class="soft">${each}</span> ${text(row[each])} `);
  return html`<tr>
    <th scope="row">${id}</th>
    <td>${text(name)}</td>
    <td>${shown}</td>
    <td class="narrow">
      <a href="?kind=${kind}&amp;id=${encodeURIComponent(id)}#change" aria-label="Change ${kind} ${text(name ?? id)}"
        >Change</a
      >
      <form class="inline" method="post" action="/_simulator/do/remove">
        <input type="hidden" name="table" value="${kind}" /><input type="hidden" name="id" value="${id}" />
        <button class="small danger" aria-label="Delete ${kind} ${text(name ?? id)}">Delete</button>
      </form>
    </td>
  </tr>`;
}

/** Returns a table. A head with a leading `#` marks a column of numbers. */
export function table(heads: readonly string[], rows: readonly Html[], empty = "None."): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  const head = heads.map((each) =>
    each.startsWith("#")
      ? html`<th scope="col" class="number">${each.slice(1)}</th>`
      : html`<th scope="col">${each}</th>`,
  );
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

export function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
