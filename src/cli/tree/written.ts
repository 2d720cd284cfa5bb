/** A graph as text for a terminal, as Mermaid, and as DOT. */
import type { Colour } from "../terminal.ts";
import type { Edge, Graph, Node } from "./graph.ts";

type Paint = (colour: Colour, text: string) => string;

const colours: Record<Node["state"], Colour | undefined> = {
  ready: "green",
  waiting: "red",
  absent: "red",
  cloud: undefined,
  unmanaged: "yellow",
};

/**
 * Returns the graph as a tree. An object is below its containing object, or below its CloudAccount. Arrows show
 * further references.
 */
export function treeText({ nodes, edges }: Graph, paint: Paint): string {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const above = new Map(nodes.map(({ key }) => [key, parentOf(key, edges)]));
  const below = Map.groupBy(nodes, ({ key }) => above.get(key));
  const pointed = Map.groupBy(edges, ({ from }) => from);
  const shown = new Set<string>();

  function linesOf(node: Node, first: string, rest: string): string[] {
    shown.add(node.key);
    const others = (pointed.get(node.key) ?? []).filter(
      ({ to, type }) => type === "reference" && to !== above.get(node.key),
    );
    const arrows = others.flatMap(({ to }) => byKey.get(to) ?? []).map((target) => `→ ${labelOf(target, paint)}`);
    const children = (below.get(node.key) ?? []).filter(({ key }) => !shown.has(key)).toSorted(byTitle);
    return [
      `${first}${labelOf(node, paint)}`,
      ...arrows.map((text) => `${rest}${children.length > 0 ? "│ " : "  "}${text}`),
      ...children.flatMap((child, at) => {
        const isLast = at === children.length - 1;
        return linesOf(child, `${rest}${isLast ? "└─ " : "├─ "}`, `${rest}${isLast ? "   " : "│  "}`);
      }),
    ];
  }

  // Only arrows show a target without objects below it that the cluster does not have.
  const isShown = ({ key, state }: Node): boolean => (state !== "cloud" && state !== "absent") || below.has(key);
  const roots = nodes.filter((node) => above.get(node.key) === undefined && isShown(node)).toSorted(byTitle);
  const lines = roots.flatMap((root) => linesOf(root, "", ""));
  // Parts of each other have no root.
  const rest = nodes.filter((node) => !shown.has(node.key) && isShown(node)).toSorted(byTitle);
  return [...lines, ...rest.flatMap((node) => (shown.has(node.key) ? [] : linesOf(node, "", "")))]
    .map((line) => `${line}\n`)
    .join("");
}

function parentOf(key: string, edges: readonly Edge[]): string | undefined {
  const own = edges.filter(({ from, to }) => from === key && to !== key);
  return (own.find(({ type }) => type === "part") ?? own.find(({ type }) => type === "account"))?.to;
}

function labelOf({ title, state, note }: Node, paint: Paint): string {
  const colour = colours[state];
  return `${clean(title)}  ${colour === undefined ? note : paint(colour, note)}`;
}

function byTitle(one: Node, other: Node): number {
  return one.title.localeCompare(other.title, "en", { numeric: true });
}

/** Returns the graph as a Mermaid flowchart. */
export function mermaid({ nodes, edges }: Graph): string {
  const ids = idsOf(nodes);
  const quoted = (text: string): string => clean(text).replaceAll(/["&<>#]/g, (one) => `#${one.codePointAt(0)};`);
  const lines = [
    "flowchart LR",
    ...nodes.map(
      ({ key, title, note, state }) => `  ${ids.get(key)}["${quoted(title)}<br>${quoted(note)}"]:::${state}`,
    ),
    ...edges.map(
      ({ from, to, type }) =>
        `  ${ids.get(from)} ${type === "part" ? "==>" : type === "account" ? "-.->" : "-->"} ${ids.get(to)}`,
    ),
    ...Object.entries(styles).map(([state, style]) => `  classDef ${state} ${style.mermaid}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns the graph for Graphviz. */
export function dot({ nodes, edges }: Graph): string {
  const ids = idsOf(nodes);
  const quoted = (text: string): string => clean(text).replaceAll(/["\\]/g, String.raw`\$&`);
  const lines = [
    "digraph cloudplatform {",
    "  rankdir=LR; node [shape=box];",
    ...nodes.map(
      ({ key, title, note, state }) =>
        `  ${ids.get(key)} [label="${quoted(title)}\\n${quoted(note)}", ${styles[state].dot}];`,
    ),
    ...edges.map(({ from, to, type }) => `  ${ids.get(from)} -> ${ids.get(to)} [style=${lineOf[type]}];`),
    "}",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const lineOf: Record<Edge["type"], string> = { account: "dotted", part: "bold", reference: "solid" };

const styles: Record<Node["state"], { mermaid: string; dot: string }> = {
  ready: { mermaid: "stroke:#2da44e", dot: 'color="#2da44e"' },
  waiting: { mermaid: "stroke:#cf222e", dot: 'color="#cf222e"' },
  absent: { mermaid: "stroke:#cf222e,stroke-dasharray:4", dot: 'color="#cf222e", style=dashed' },
  cloud: { mermaid: "stroke:#6e7781,stroke-dasharray:4", dot: 'color="#6e7781", style=dashed' },
  unmanaged: { mermaid: "stroke:#bf8700,stroke-dasharray:4", dot: 'color="#bf8700", style=dashed' },
};

function idsOf(nodes: readonly Node[]): Map<string, string> {
  return new Map(nodes.map(({ key }, at) => [key, `n${at + 1}`]));
}

/** Labels of the cloud can have control characters. */
function clean(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
