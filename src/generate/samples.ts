/**
 * Writes two folders of manifests.
 * deploy/samples: the examples with `sample: true` and the objects in their `needs`, one file per kind.
 * examples/kinds: the plainest example of each kind, and a set of examples with every field. Each file includes the
 * needed objects. CloudAccount has a separate folder: the Secret in the example has no token, and would replace the
 * Secret of a connected account.
 */
import { commonSpec } from "../core/kind/common-schema.ts";
import type { Described } from "../core/kind/described.ts";
import { documentsOf, withNeeds } from "./example-manifests.ts";
import type { AnyExample } from "./example-manifests.ts";
import { yamlFile } from "./yaml.ts";

export interface SampleFiles {
  /** Text by file name. */
  files: Map<string, string>;
  /** Messages about missing examples, missing fields, and names that two examples use. */
  problems: string[];
}

/** Returns the samples of the demo. */
export function sampleFiles(kinds: Described[]): SampleFiles {
  const problems: string[] = [];
  const wanted = kinds.flatMap((kind) =>
    kind.examples.filter(({ sample }) => sample).map((example) => ({ kind, name: example.name, example })),
  );
  const known = new Map<string, string>();
  const files = new Map<string, string>();
  for (const [kind, samples] of Map.groupBy(withNeeds(kinds, wanted, problems).sort(byName), (sample) => sample.kind))
    files.set(`${kind.plural}.yaml`, yamlFile(samples.flatMap((sample) => documentsOf(sample, known, problems))));
  return { files, problems };
}

/** Returns `minimal/<plural>.yaml` and `full/<plural>.yaml` for each kind that users write; for CloudAccount the folder `account/`. */
export function kindSamples(kinds: Described[]): SampleFiles {
  const problems: string[] = [];
  const files = new Map<string, string>();
  for (const kind of kinds) {
    if (kind.examples.length === 0) continue;
    const smallest = plainest(kind);
    for (const [size, examples] of [
      ["minimal", smallest ? [smallest] : []],
      ["full", showingAll(kind, problems)],
    ] as const) {
      const wanted = examples.map((example) => ({ kind, name: example.name, example }));
      const known = new Map<string, string>();
      const text = withNeeds(kinds, wanted, problems).flatMap((sample) => documentsOf(sample, known, problems));
      const apart = kind.kind === "CloudAccount";
      files.set(apart ? `account/${size}.yaml` : `${size}/${kind.plural}.yaml`, yamlFile(text));
    }
  }
  return { files, problems: [...new Set(problems)] };
}

/** Returns the example with the fewest fields. Undefined for a kind whose objects no user creates. */
export function plainest({ examples }: Described): AnyExample | undefined {
  return examples.toSorted((a, b) => fieldsIn(a).length - fieldsIn(b).length)[0];
}

/** Returns a small set of examples in which each field of the spec occurs. */
function showingAll(kind: Described, problems: string[]): AnyExample[] {
  const left = new Set(Object.keys(kind.spec.shape).filter((field) => !(field in commonSpec())));
  const shown = (example: AnyExample): number => fieldsIn(example).filter((field) => left.has(field)).length;
  const chosen: AnyExample[] = [];
  do {
    const [best] = kind.examples.toSorted((a, b) => shown(b) - shown(a));
    if (best === undefined || (chosen.length > 0 && shown(best) === 0)) break;
    chosen.push(best);
    for (const field of fieldsIn(best)) left.delete(field);
  } while (left.size > 0);
  for (const field of left)
    problems.push(`${kind.kind}: no example shows spec.${field}: add an example, or add the field to an example`);
  return chosen;
}

function fieldsIn({ spec }: AnyExample): string[] {
  return Object.keys(spec);
}

function byName(a: { kind: Described; name: string }, b: { kind: Described; name: string }): number {
  return `${a.kind.kind}/${a.name}` < `${b.kind.kind}/${b.name}` ? -1 : 1;
}
