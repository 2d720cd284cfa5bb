/** The graph of objects: references, accounts, and cloud objects that no object manages. */
import type { KubeObject } from "../../cluster/types.ts";
import { isReady, readyOf, statusOf } from "../../core/kind/object.ts";
import { kindOf } from "../../core/kind/reference.ts";
import { keyOf, keyOfObject } from "../../core/kind/resource.ts";
import { accountOf } from "../../core/model/owners.ts";
import { titleOf } from "../objects.ts";
import type { Named } from "../objects.ts";
import { entriesOf } from "../why/references.ts";

/**
 * `ready` and `waiting`: an object. `absent`: an object that a reference names and that does not exist. `cloud`: a cloud object
 * that a reference names by its ID. `unmanaged`: a cloud object that no object manages.
 */
type State = "ready" | "waiting" | "absent" | "cloud" | "unmanaged";

export interface Node {
  key: string;
  title: string;
  state: State;
  /** Reason of the condition Ready, or another short text. */
  note: string;
}

export interface Edge {
  from: string;
  to: string;
  /** `account`: the CloudAccount of the object. `part`: the object is a part of the target. `reference`: any other reference. */
  type: "account" | "part" | "reference";
}

export interface Graph {
  nodes: Node[];
  edges: Edge[];
}

export interface Unmanaged {
  /** `namespace/name` of the CloudAccount. */
  account: string;
  /** Name of the list, ID and label. */
  title: string;
}

export function graphOf(objects: readonly Named[], unmanaged: readonly Unmanaged[] = []): Graph {
  const nodes = new Map(objects.map(({ object }) => [keyOfObject(object), nodeOf(object)]));
  const edges = objects.flatMap(edgesOf);
  for (const { edge, title, state } of edges) {
    if (!nodes.has(edge.to)) nodes.set(edge.to, { key: edge.to, title, state, note: notes[state] });
  }
  const found = unmanaged.map(({ account, title }) => {
    const [namespace = "", name = ""] = account.split("/");
    const key = `unmanaged ${account} ${title}`;
    nodes.set(key, { key, title, state: "unmanaged", note: notes.unmanaged });
    return { from: key, to: keyOf("CloudAccount", namespace, name), type: "account" } as const;
  });
  const known = [...edges.map(({ edge }) => edge), ...found.filter(({ to }) => nodes.has(to))];
  return { nodes: [...nodes.values()], edges: withoutRepetition(known) };
}

const notes = { absent: "does not exist", cloud: "cloud object", unmanaged: "not managed" } as const;

function nodeOf(object: KubeObject): Node {
  const { reason = "no condition" } = readyOf(statusOf(object).conditions) ?? {};
  const deleting = object.metadata.deletionTimestamp !== undefined;
  const state = isReady(object.status ?? {}) && !deleting ? "ready" : "waiting";
  return {
    key: keyOfObject(object),
    title: titleOf(object),
    state,
    note: deleting ? `${reason}, in deletion` : reason,
  };
}

interface Found {
  edge: Edge;
  /** Title of the target, if the cluster does not have the object. */
  title: string;
  state: "absent" | "cloud";
}

function edgesOf({ kind, object }: Named): Found[] {
  const from = keyOfObject(object);
  const { namespace = "" } = object.metadata;
  const [of = "", name = ""] = accountOf(object).split("/");
  const toAccount = { from, to: keyOf("CloudAccount", of, name), type: "account" } as const;
  const title = `CloudAccount ${of}/${name}`;
  const account: Found[] = "accountRef" in kind.spec.shape ? [{ edge: toAccount, title, state: "absent" }] : [];
  const references = Object.values(kind.references ?? {}).flatMap((one) => {
    if ("secret" in one) return [];
    const type = one.contained === true ? "part" : "reference";
    return entriesOf(one, object).map((entry): Found => {
      const { name: named, id = "" } = entry;
      const target = kindOf(one, entry);
      if (named === undefined)
        return { edge: { from, to: `cloud ${target} ${id}`, type }, title: `${target} ${id}`, state: "cloud" };
      const to = keyOf(target, namespace, named);
      return { edge: { from, to, type }, title: `${target} ${namespace}/${named}`, state: "absent" };
    });
  });
  return [...account, ...references];
}

function withoutRepetition(edges: readonly Edge[]): Edge[] {
  return [...new Map(edges.map((edge) => [`${edge.from} ${edge.to} ${edge.type}`, edge])).values()];
}

/** Returns the part of a graph around a node: all that the node needs, and all that needs the node. */
export function around({ nodes, edges }: Graph, key: string): Graph {
  const isAccount = key.startsWith("CloudAccount/");
  const upwards = isAccount ? edges : edges.filter(({ type }) => type !== "account");
  const kept = new Set([
    ...reached(key, (at) => edges.filter(({ from }) => from === at).map(({ to }) => to)),
    ...reached(key, (at) => upwards.filter(({ to }) => to === at).map(({ from }) => from)),
  ]);
  return {
    nodes: nodes.filter((node) => kept.has(node.key)),
    edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}

function reached(start: string, next: (at: string) => string[]): Set<string> {
  const seen = new Set([start]);
  for (const at of seen) for (const one of next(at)) seen.add(one);
  return seen;
}
