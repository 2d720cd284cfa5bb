import { readSamples } from "../../tools/demo/manifests.ts";
import { parseAllDocuments } from "yaml";
import { manifestsOf } from "../../src/generate/example-manifests.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { firstOfAll } from "../contract/support/subjects.ts";
import { refused } from "../kinds/all-refused.ts";
import type { Subject } from "../contract/support/subjects.ts";

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** The Git repository of an example. */
export interface Repository {
  /** Secrets, ConfigMaps and objects that the example needs. */
  before: Manifest[];
  own: Manifest;
}

/** Kinds that `make test` runs with each tool, of the shapes owned, setting and once. */
const kindsOfEveryTest = new Set(["BucketObject", "ReverseDNS", "ComputeAction"]);

/** Milliseconds for the start of a tool. The start waits for the build, which shares the processors with other tests. */
export const startMs = 1_800_000;

/** Returns the examples that the stories run; `which` is the variable GITOPS_KINDS, which `make gitops` sets to `all`. */
export function subjectsFor(which: string | undefined): Subject[] {
  return which === "all" ? firstOfAll : firstOfAll.filter(({ kind }) => kindsOfEveryTest.has(kind.kind));
}

/** Returns the repository of an example for one namespace. */
export function repositoryOf({ kind, example }: Subject, namespace: string): Repository {
  const all = inNamespace(manifestsOf(kinds, [{ kind, example, name: example.name }]), namespace);
  const [own] = all.slice(-1);
  if (!own) throw new Error(`${kind.kind} ${example.name} has no manifest`);
  return { before: all.slice(0, -1), own };
}

/** The samples of the chart and the guides, and their token. */
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

/** Returns false for a kind that only reads: the cloud has no request to refuse. */
export function mayStall(kind: string): boolean {
  return !["Inventory", "UsageReport"].includes(kind);
}

/** Returns a spec that the API server refuses, and a part of the message. The spec is not empty, because a GitOps tool may omit an empty spec. */
export function refusedSpec(kind: string): { spec: object; says: string } {
  const found = refused.find((one) => one.kind === kind && Object.keys(one.spec).length > 0);
  return found ?? { spec: { accountRef: { name: "default" } }, says: "spec." };
}

/** Returns the objects with a namespace, which a GitOps tool would otherwise need as a setting. */
function inNamespace(manifests: Manifest[], namespace: string): Manifest[] {
  return manifests.map((one) => ({ ...one, metadata: { ...one.metadata, namespace } }));
}
