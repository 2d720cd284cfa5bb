/** `tree`: objects with their references and readiness, and cloud objects that no object manages. */
import { keyOfObject } from "../../core/kind/resource.ts";
import { createLists } from "../account/lists.ts";
import { dataText } from "../output/table.ts";
import type { CommandDefinition } from "../command.ts";
import { exitCodes, textOf } from "../failure.ts";
import { readManagers } from "../managers.ts";
import { namedKinds, readNamed } from "../objects.ts";
import type { Named } from "../objects.ts";
import type { Session } from "../session.ts";
import { around, graphOf } from "../tree/graph.ts";
import type { Graph, Unmanaged } from "../tree/graph.ts";
import { dot, mermaid, treeText } from "../tree/written.ts";
import { readResources } from "./resources.ts";

export const tree: CommandDefinition = {
  name: "tree",
  arguments: "[kind] [name]",
  summary: "Shows objects with their references, their readiness, and unmanaged cloud objects.",
  description:
    "Without arguments: all objects of the namespace, and the cloud objects of the account that no object manages. With an object: all that the object needs, and all that needs the object. An object is below the object that it is a part of, otherwise below its CloudAccount. Arrows show further references.",
  examples: [
    ["tree -n shop", "shows all objects of the namespace shop"],
    ["tree domain zone -o mermaid", "draws a Domain with its records as a Mermaid flowchart"],
  ],
  formats: ["table", "mermaid", "dot", "json", "yaml"],
  async run(session, args, { output = "table" }) {
    const start = args.length === 0 ? undefined : (await readNamed(session, args)).object;
    const objects = await allObjects(session, start?.metadata.namespace);
    const { unmanaged, missed } = start === undefined ? await unmanagedOf(session) : { unmanaged: [], missed: [] };
    const whole = graphOf(objects, unmanaged);
    const graph = start === undefined ? whole : around(whole, keyOfObject(start));
    session.terminal.data(written(graph, output, session));
    if (graph.nodes.length === 0) session.terminal.say("no objects. Name a namespace with -n, or use -A");
    for (const one of missed) session.terminal.say(`${session.terminal.paint("red", "not shown")}: ${one}`);
    return missed.length === 0 ? exitCodes.ok : exitCodes.error;
  },
};

function written(graph: Graph, output: string, { terminal }: Session): string {
  if (output === "mermaid") return mermaid(graph);
  if (output === "dot") return dot(graph);
  if (output === "json" || output === "yaml") return dataText(graph, output);
  return treeText(graph, terminal.paint);
}

async function allObjects(session: Session, namespace: string | undefined): Promise<Named[]> {
  const cluster = session.cluster();
  const kinds = namedKinds.filter(({ scope }) => scope !== "Cluster");
  const lists = kinds.map(async (kind) => {
    const objects = await cluster.objects(kind, namespace ?? cluster.listed);
    return objects.map((object) => ({ kind, object }));
  });
  return (await Promise.all(lists)).flat();
}

/** Reads the account, if possible. A user without the token still sees the objects. */
async function unmanagedOf(session: Session): Promise<{ unmanaged: Unmanaged[]; missed: string[] }> {
  try {
    const { reader, name } = await session.account();
    if (name === undefined) return { unmanaged: [], missed: [] };
    const lists = createLists(reader, (done, begun) =>
      session.terminal.progress(`reading the account: ${done} of ${begun} lists`),
    );
    const { found, missed } = await readResources(lists, await readManagers(session.cluster(), name));
    const unmanaged = found
      .filter(({ manager }) => !manager)
      .map(({ list, id, label }) => ({
        account: name,
        title: [list, id, ...(label === id ? [] : [label])].join(" ").trim(),
      }));
    return { unmanaged, missed };
  } catch (error) {
    session.terminal.say(`unmanaged cloud objects are not shown: ${textOf(error)}`);
    return { unmanaged: [], missed: [] };
  }
}
