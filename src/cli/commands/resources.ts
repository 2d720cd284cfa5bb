/** `resources`: the cloud objects of the account, their managers, and their monthly prices. */
import { Option } from "commander";
import type { JsonObject } from "../../api/types.ts";
import { dollars } from "../../core/kind/monthly.ts";
import { counted, listedRows } from "../../kinds/account/inventory-rows.ts";
import { priceList } from "../../kinds/prices.ts";
import { createLists } from "../account/lists.ts";
import type { Lists } from "../account/lists.ts";
import type { CommandDefinition } from "../command.ts";
import { exitCodes, textOf } from "../failure.ts";
import { readManagers } from "../managers.ts";
import type { Managers } from "../managers.ts";
import { written } from "../output/table.ts";
import type { Format, Listed } from "../output/table.ts";
import type { Session } from "../session.ts";

export interface Resource {
  list: string;
  id: string;
  label: string;
  region: string;
  type: string;
  /** `Kind namespace/name`; empty for an unmanaged cloud object, undefined if the command does not use a cluster. */
  manager: string | undefined;
  monthly: number | undefined;
}

export const resources: CommandDefinition = {
  name: "resources",
  summary: "Lists the cloud objects of the account, who manages them, and their monthly price.",
  description:
    "Reads each list of the account once. Prices are those of instances, backups and database nodes, from the list of types. With --cost, the list has only cloud objects with a price, the most expensive first, and a sum.",
  examples: [
    ["resources --account default --unmanaged", "lists the cloud objects that no object of the cluster manages"],
    [
      "resources --token-file token --endpoint https://api.example.com --cost -o csv",
      "lists the prices of an account without a cluster",
    ],
  ],
  formats: ["table", "json", "yaml", "name", "markdown", "csv"],
  options: [
    new Option("--unmanaged", "only cloud objects that no object of the cluster manages"),
    new Option("--cost", "only cloud objects with a price, the most expensive first, with the sum"),
  ],
  async run(session, _, { output = "table", unmanaged, cost }) {
    const account = await session.account();
    const managers = session.hasCluster ? await readManagers(session.cluster(), account.name) : undefined;
    const lists = createLists(account.reader, (done, begun) =>
      session.terminal.progress(`reading the account: ${done} of ${begun} lists`),
    );
    const { found, missed } = await readResources(lists, managers);
    const left = unmanaged === true ? found.filter(({ manager }) => !manager) : found;
    const items = cost === true ? left.filter(isPriced).toSorted((a, b) => (b.monthly ?? 0) - (a.monthly ?? 0)) : left;
    session.terminal.data(written(listed(items), output));
    if (cost === true) summarise(session, output, items);
    for (const one of missed) session.terminal.say(`${session.terminal.paint("red", "not listed")}: ${one}`);
    return missed.length === 0 ? exitCodes.ok : exitCodes.error;
  },
};

function isPriced({ monthly }: Resource): boolean {
  return monthly !== undefined;
}

function summarise({ terminal }: Session, output: Format, items: Resource[]): void {
  const sum = dollars(items.reduce((total, { monthly = 0 }) => total + monthly, 0));
  if (output === "table") terminal.say(`${sum} per month for ${items.length} cloud objects`);
}

/** Reads all lists of the account. `missed`: the lists that cannot be read, with the reason. */
export async function readResources(
  lists: Lists,
  managers: Managers | undefined,
): Promise<{ found: Resource[]; missed: string[] }> {
  const missed: string[] = [];
  const answers = Object.entries(counted).map(async ([name, { path, beta = false }]) => {
    const types = await lists.rows(priceList).catch(() => undefined);
    const rows = await lists
      .rows(path, { beta })
      .catch((error: unknown) => void missed.push(`${name}: ${textOf(error)}`));
    return listedRows(name, rows ?? [], { types }).map(({ id, label, region, type, claims, cost }): Resource => ({
      list: name,
      id,
      label: text(label),
      region: text(region),
      type: text(type),
      manager: managers && managerOf(managers, claims),
      monthly: cost,
    }));
  });
  return { found: (await Promise.all(answers)).flat(), missed: missed.toSorted() };
}

function managerOf(managers: Managers, claims: [string, string][]): string {
  const [object] = claims.flatMap(([collection, id]) => managers.of(collection, id) ?? []);
  return object ? `${object.kind} ${object.metadata.namespace}/${object.metadata.name}` : "";
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function listed(items: Resource[]): Listed<Resource> {
  return {
    items,
    columns: {
      list: ({ list }) => list,
      id: ({ id }) => id,
      label: ({ label }) => label,
      region: ({ region }) => region,
      type: ({ type }) => type,
      monthly: ({ monthly }) => (monthly === undefined ? "" : dollars(monthly)),
      "managed by": ({ manager }) => (manager === undefined ? "unknown" : manager || "-"),
    },
    name: ({ list, id }) => `${list}/${id}`,
    plain: ({ list, id, label, region, type, monthly, manager }) => {
      const all = { list, id, label, region, type, ...(monthly !== undefined && { monthly: dollars(monthly) }) };
      return { ...all, ...(manager !== undefined && { managedBy: manager || null }) } satisfies JsonObject;
    },
  };
}
