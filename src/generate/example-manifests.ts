/** Writes examples as manifests, together with the objects, Secrets and ConfigMaps of their `needs`. */
import type { Described, Example } from "../core/kind/described.ts";
import { group, version } from "../core/kind/resource.ts";

export type AnyExample = Example<Record<string, unknown>>;

export interface NamedExample {
  kind: Described;
  name: string;
  example: AnyExample;
}

/** A manifest as a user writes it, without a namespace. */
export interface ExampleManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/** Returns the object of an example, as a user writes the object. */
export function exampleObject(kind: Described, example: AnyExample, name = example.name) {
  return { apiVersion: `${group}/${version}`, kind: kind.kind, metadata: { name }, spec: example.spec };
}

/**
 * Returns the manifests of the given examples. Secrets, ConfigMaps and needed objects come before their user, and once.
 *
 * @throws Error if a needed example does not exist, or if two examples use one name for different objects
 */
export function manifestsOf(kinds: Described[], examples: NamedExample[]): ExampleManifest[] {
  const problems: string[] = [];
  const known = new Map<string, string>();
  const documents = withNeeds(kinds, examples, problems).flatMap((one) => documentsOf(one, known, problems));
  if (problems.length > 0) throw new Error(problems.join("; "));
  return documents.map(({ document }) => document);
}

/** Adds the needed examples, each once and before its first user; adds a message to `problems` if an example is missing. */
export function withNeeds(kinds: Described[], wanted: NamedExample[], problems: string[]): NamedExample[] {
  const found = new Map<string, NamedExample>();
  const add = (one: NamedExample): void => {
    const key = `${one.kind.kind}/${one.name}`;
    const known = found.get(key);
    if (known && known.example !== one.example) problems.push(`two examples have the name ${key}: rename one example`);
    if (known) return;
    for (const need of one.example.needs ?? []) {
      const needed = neededExample(kinds, need);
      if (needed) add(needed);
      else problems.push(missing(one, need));
    }
    found.set(key, one);
  };
  wanted.forEach(add);
  return [...found.values()];
}

/** Returns the new Secrets and ConfigMaps of an example, then its object. Adds the new names to `known`. */
export function documentsOf(
  { kind, name, example }: NamedExample,
  known: Map<string, string>,
  problems: string[],
): { comment?: string; document: ExampleManifest }[] {
  const unknown = (of: "Secret" | "ConfigMap", given: Record<string, Record<string, string>> = {}) =>
    Object.entries(given).filter(([one, data]) => {
      const before = known.get(`${of} ${one}`);
      if (before !== undefined && before !== JSON.stringify(data))
        problems.push(`${kind.kind}: two examples write different data into the ${of} ${one}: rename one ${of}`);
      known.set(`${of} ${one}`, JSON.stringify(data));
      return before === undefined;
    });
  const beside = (of: string, one: string, data: object) => ({
    document: { apiVersion: "v1", kind: of, metadata: { name: one }, ...data },
  });
  const needs = (example.needs ?? []).map((need) => `${need.kind} ${need.name ?? need.example}`);
  return [
    ...unknown("Secret", example.secrets).map(([secret, stringData]) => beside("Secret", secret, { stringData })),
    ...unknown("ConfigMap", example.configMaps).map(([map, data]) => beside("ConfigMap", map, { data })),
    {
      comment: [example.doc, ...(needs.length > 0 ? [`Needs ${needs.join(", ")}.`] : [])].join("\n"),
      document: exampleObject(kind, example, name),
    },
  ];
}

type Need = NonNullable<AnyExample["needs"]>[number];

function neededExample(kinds: Described[], need: Need): NamedExample | undefined {
  const kind = kinds.find((candidate) => candidate.kind === need.kind);
  const example = kind?.examples.find((candidate) => candidate.name === need.example);
  return kind && example && { kind, name: need.name ?? example.name, example };
}

function missing({ kind, example }: NamedExample, need: Need): string {
  return `${kind.kind}: the example ${example.name} needs ${need.kind} ${need.example}, and ${need.kind} has no such example: add the example, or correct needs`;
}
