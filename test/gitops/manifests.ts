import { readSamples } from "../../tools/demo/manifests.ts";
import { parseAllDocuments } from "yaml";
import { exampleObject } from "../../src/generate/samples.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { neededSubject } from "../contract/support/subjects.ts";
import { refused } from "../kinds/all-refused.ts";
import type { Subject } from "../contract/support/subjects.ts";

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** What is in a repository for an example of a kind. */
export interface Repository {
  /** Secrets and the objects that it needs. */
  before: Manifest[];
  own: Manifest;
}

/** The plainest example of every kind that a user may write, of whatever shape. */
export const everyKind: Subject[] = kinds.map((kind) => {
  const weight = ({ needs = [], secrets = {} }: Subject["example"]): number =>
    needs.length + Object.keys(secrets).length;
  const [example] = kind.examples.toSorted((a, b) => weight(a) - weight(b));
  if (!example) throw new Error(`${kind.kind} has no example`);
  return { kind, example, title: `${kind.kind} ${example.name}` };
});

export function repositoryOf({ kind, example }: Subject, namespace: string): Repository {
  const before = new Map<string, Manifest>();
  add(before, example);
  return {
    before: inNamespace([...before.values()], namespace),
    own: inNamespaceOne(exampleObject(kind, example), namespace),
  };
}

/** The samples of the chart and the guides, and the token that they have. */
export const samples = {
  token: "token-of-the-samples",
  objects(namespace: string): Manifest[] {
    const documents = parseAllDocuments(readSamples(samples.token));
    return inNamespace(
      documents.flatMap((one) => (one.toJS() as Manifest | null) ?? []),
      namespace,
    );
  },
};

/** What only reads has nothing that the cloud could refuse. */
export function mayStall(kind: string): boolean {
  return !["Inventory", "UsageReport"].includes(kind);
}

/** A GitOps tool may leave out an empty spec, so that what is missing is shown by one that says something. */
export function refusedSpec(kind: string): { spec: object; says: string } {
  const found = refused.find((one) => one.kind === kind && Object.keys(one.spec).length > 0);
  return found ?? { spec: { accountRef: { name: "default" } }, says: "spec." };
}

/** These objects with the namespace that a GitOps tool would otherwise have to be told. */
function inNamespace(manifests: Manifest[], namespace: string): Manifest[] {
  return manifests.map((one) => inNamespaceOne(one, namespace));
}

function inNamespaceOne(one: Manifest, namespace: string): Manifest {
  return { ...one, metadata: { ...one.metadata, namespace } };
}

function add(found: Map<string, Manifest>, example: Subject["example"]): void {
  for (const [name, stringData] of Object.entries(example.secrets ?? {}))
    found.set(`Secret/${name}`, { ...secret, metadata: { name }, stringData } as Manifest);
  for (const need of example.needs ?? []) {
    const { kind, example: other } = neededSubject(need);
    add(found, other);
    found.set(`${need.kind}/${need.name ?? need.example}`, exampleObject(kind, other, need.name ?? need.example));
  }
}

const secret = { apiVersion: "v1", kind: "Secret" };
