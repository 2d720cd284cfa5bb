/**
 * What an example asks of the cloud, as text that a person reviews against the documents of the API.
 *
 * A kind's own mapping takes no part in the comparison: a field that is exchanged for another in both directions agrees
 * with itself, and differs from the file. Ids and generated passwords are placeholders, keys are sorted, and reads are
 * left out, for how often something is read is no matter of the mapping.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import { expect } from "vitest";
import type { Json } from "../../../src/api/types.ts";
import type { LedgerEntry } from "../../../src/simulator/server/ledger/ledger.ts";
import { noteCalls } from "./coverage.ts";
import { ground } from "./ground.ts";
import { idle, stageOf } from "./stage.ts";
import { noteStatus } from "./statuses.ts";
import type { Stage } from "./stage.ts";
import { neededSubject } from "./subjects.ts";
import type { Subject } from "./subjects.ts";

export const goldenFolder = path.resolve(import.meta.dirname, "../golden");

export function goldenFile({ kind, example }: Subject): string {
  return path.join(goldenFolder, kind.kind, `${example.name}.http`);
}

/** Runs the example from its creation through each of its changes to its deletion; answers what was sent. */
export async function recordRequests(stage: Stage): Promise<string> {
  await stage.prepare();
  await ground(stage);
  drain(stage, "needs");
  await stage.create();
  await stage.ready();
  noteStatus(stage, await stage.object());
  const placeholders = await placeholdersOf(stage);
  const sections = [await section(stage, "create", placeholders)];
  let { spec } = stage.example;
  for (const [field, change] of Object.entries(stage.example.changes ?? {})) {
    spec = Object.assign({}, spec, change);
    await stage.change(spec);
    await stage.ready();
    sections.push(await section(stage, `change ${field}`, placeholders));
  }
  await stage.remove();
  await stage.gone();
  sections.push(await section(stage, "delete", placeholders));
  return `# ${stage.title}: ${stage.example.doc}\n\n${sections.join("")}`;
}

/** Compares with the reviewed file; `UPDATE_GOLDEN=1` writes it instead. */
export function expectGolden(file: string, text: string): void {
  if (process.env["UPDATE_GOLDEN"] !== "1") {
    if (!existsSync(file))
      expect.fail(
        `${path.relative("", file)} does not exist. Run this test with UPDATE_GOLDEN=1 to write it, then review it`,
      );
    return expect(text, path.basename(file)).toBe(readFileSync(file, "utf8"));
  }
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface Placeholder {
  id: string;
  itemPath: string;
  text: string;
}

/** The object itself and what it needs; longest paths first, so that what is inside is named before what it is in. */
async function placeholdersOf(stage: Stage): Promise<Placeholder[]> {
  const needs = (stage.example.needs ?? []).map((need) => stageOf(stage.world, neededSubject(need), need.name));
  // What runs once has no id of its own, and what is in no list is known by its path.
  const { shape, shownAt } = stage.kind;
  const named = shape === "once" || shownAt !== undefined ? needs : [stage, ...needs];
  const all = named.map(async (one) => {
    const id = await one.id();
    return { id, itemPath: (await one.collection()).itemPath(id), text: one === stage ? "{id}" : `{${one.name}}` };
  });
  const found = [...(await Promise.all(all)), ...(await Promise.all(needs.map(addressesOf))).flat()];
  const { spec, changes } = stage.example;
  const stated = JSON.stringify([spec, changes]);
  // An id that is made of names is no number that another run would count otherwise, and an example may state an address.
  return found
    .filter(({ id }) => /^\d+$/.test(id) || (isIP(id) !== 0 && !stated.includes(`"${id}"`)))
    .toSorted((a, b) => b.itemPath.length - a.itemPath.length);
}

/** The addresses of an instance: the order in which several instances are created can differ between runs. */
async function addressesOf(stage: Stage): Promise<Placeholder[]> {
  const { ipv6 = "", ipv4 = [] } = (await stage.object()).status as { ipv4?: string[]; ipv6?: string };
  const [slaac = ""] = ipv6.split("/");
  const named = [
    ...ipv4.map((id, number) => ({ id, text: `{${stage.name} ipv4${number === 0 ? "" : ` ${number + 1}`}}` })),
    ...(slaac === "" ? [] : [{ id: slaac, text: `{${stage.name} ipv6}` }]),
  ];
  return named.map(({ id, text }) => ({ id, itemPath: `/networking/ips/${encodeURIComponent(id)}`, text }));
}

/** What was sent since the last section. */
async function section(stage: Stage, title: string, placeholders: Placeholder[]): Promise<string> {
  await idle(stage.world);
  const sent = stage.mutations({ applied: true });
  drain(stage);
  const others = new Map<string, string>();
  const requests = sent.map((entry) => requestText(stage, entry, { placeholders, others }));
  return `### ${title}\n${requests.length === 0 ? "# nothing\n" : requests.join("\n###\n")}\n`;
}

/** Empties the ledger; what the operator has called counts as covered. */
function drain({ kind, title, world: { simulator } }: Stage, phase?: "needs"): void {
  noteCalls(kind.kind, title, simulator, phase);
  simulator.control.clearLedger();
}

interface Names {
  placeholders: Placeholder[];
  /** Ids of what no object of the example stands for, by their order. */
  others: Map<string, string>;
}

function requestText(stage: Stage, { method, path: sentTo, body }: LedgerEntry, names: Names): string {
  const text = body === "" ? "" : `\n${JSON.stringify(normalised(stage, JSON.parse(body) as Json, names), null, 2)}\n`;
  return `${method} ${namedPath(sentTo, names)}\n${text}`;
}

function namedPath(sentTo: string, { placeholders, others }: Names): string {
  let named = sentTo;
  for (const { itemPath, text } of placeholders) {
    const end = named.indexOf(itemPath) + itemPath.length;
    if (!named.includes(itemPath) || !["", "/"].includes(named.charAt(end))) continue;
    named = named.replace(itemPath, `${path.dirname(itemPath)}/${text}`);
  }
  return named.replaceAll(/(?<=\/)\d+(?=\/|$)/g, (id) => {
    others.set(id, others.get(id) ?? `{${others.size + 1}}`);
    return others.get(id) ?? id;
  });
}

/** Sorted keys; placeholders for references and for what is generated. */
function normalised(stage: Stage, value: Json, names: Names, field = ""): Json {
  if (Array.isArray(value)) {
    const all = value.map((one) => normalised(stage, one, names, field));
    // The operator sorts addresses, and instances get theirs in any order.
    return all.some((one) => typeof one === "string" && one.startsWith("{"))
      ? all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : all;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, inner]) => [key, normalised(stage, inner ?? null, names, key)]));
  }
  if (field === "otp_code") return "{code}";
  if (field === "root_pass" && !secretsOf(stage).includes(String(value))) return "{generated}";
  const [address = "", prefix] = isIP(String(value).split("/")[0] ?? "") === 0 ? [] : String(value).split("/");
  const named = names.placeholders.find(({ id }) => id === address)?.text;
  if (named !== undefined) return prefix === undefined ? named : `${named}/${prefix}`;
  const referring = field === "id" || ["computes", "domains"].includes(field) || field.endsWith("_id");
  return (referring && names.placeholders.find(({ id }) => id === String(value))?.text) || value;
}

function secretsOf({ example }: Subject): string[] {
  return Object.values(example.secrets ?? {}).flatMap((data) => Object.values(data));
}
