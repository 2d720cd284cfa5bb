/** `why`: explains the state of an object. */
import type { JsonObject } from "../../api/types.ts";
import { isReady } from "../../core/kind/object.ts";
import { dataText } from "../output/table.ts";
import type { CommandDefinition } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { readNamed } from "../objects.ts";
import type { Terminal } from "../terminal.ts";
import { explainObject } from "../why/explain.ts";
import { allOf, rootsOf } from "../why/link.ts";
import type { Link } from "../why/link.ts";
import { createLook } from "../why/look.ts";
import type { Noted } from "../why/look.ts";

const mostEvents = 5;

interface Explanation {
  isReady: boolean;
  links: Link[];
  changes: Noted[];
}

export const why: CommandDefinition = {
  name: "why",
  arguments: "<kind> [name]",
  summary: "Explains why an object is not Ready, and names the cure.",
  description:
    "Follows references, the CloudAccount and Secrets to the root cause, and shows the last events. Reads Secrets only to check that a key exists. Changes nothing.",
  examples: [
    ["why domainrecord www", "explains the state of the DomainRecord www"],
    ["why computeinstance web-1 -n shop -o json", "prints causes, cures and commands as JSON"],
  ],
  formats: ["table", "json", "yaml"],
  async run(session, args, { output = "table" }) {
    const named = await readNamed(session, args);
    const look = createLook(session);
    const links = await explainObject(look, named);
    const { object } = named;
    const about = [object, ...links.flatMap(allOf).flatMap((one) => (one.object ? [one.object] : []))];
    const subjects = about.filter(
      ({ metadata }, at) => about.findIndex((one) => one.metadata.uid === metadata.uid) === at,
    );
    const changes = (await Promise.all(subjects.map((one) => look.events(one, mostEvents)))).flat();
    const newest = changes.toSorted((a, b) => b.time.localeCompare(a.time)).slice(0, mostEvents);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    const explanation = { isReady: !isDeleting && isReady(object.status ?? {}), links, changes: newest };
    session.terminal.data(written(explanation, output, session.terminal));
    return exitCodes.ok;
  },
};

function written(explanation: Explanation, output: string, terminal: Terminal): string {
  const plain = { ready: explanation.isReady, because: explanation.links.map(plainLink), changes: explanation.changes };
  if (output === "json" || output === "yaml") return dataText(plain, output);
  return `${textOf(explanation, terminal).join("\n")}\n`;
}

function plainLink({ subject, reason, message, cure, commands, because }: Link): JsonObject {
  const known = reason === undefined ? {} : { reason };
  return { subject, ...known, message, cure, commands, because: because.map(plainLink) };
}

function textOf({ isReady: ready, links, changes }: Explanation, terminal: Terminal): string[] {
  const [main] = links;
  const roots = links.flatMap(rootsOf).filter(({ cure }) => !cure.startsWith("Nothing to do"));
  const head = `${main?.subject} is ${ready ? terminal.paint("green", "Ready") : terminal.paint("red", "not Ready")}`;
  return [
    head,
    ...links.flatMap((link) => chainOf(link, 1)),
    ...roots.flatMap((root) => cureOf(root)),
    ...(changes.length > 0 ? ["", "Last changes:"] : []),
    ...changes.map(({ time, reason, note }) => `  ${time.slice(0, 19)}  ${reason}: ${shown(note)}`),
  ];
}

function chainOf(link: Link, depth: number): string[] {
  const { subject, reason, message, because } = link;
  const who = depth === 1 ? "" : `because ${subject}: `;
  const text = reason === undefined ? message : `${reason}: ${message}`;
  return [`${"  ".repeat(depth)}${who}${shown(text)}`, ...because.flatMap((one) => chainOf(one, depth + 1))];
}

function cureOf({ subject, message, cure, commands }: Link): string[] {
  return [
    "",
    `Cause: ${shown(subject)}: ${shown(message)}`,
    `Cure:  ${cure}`,
    ...commands.map((one) => `       ${shown(one)}`),
  ];
}

/** Texts of the cloud can have control characters. */
function shown(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
