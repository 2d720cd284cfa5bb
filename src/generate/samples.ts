/** deploy/samples: the examples marked as samples, and what they need, each object once and in the file of its kind. */
import type { Described, Example } from "../core/kind/described.ts";
import { group, version } from "../core/kind/resource.ts";
import { yamlFile } from "./yaml.ts";

type AnyExample = Example<Record<string, unknown>>;

interface Sample {
  kind: Described;
  name: string;
  example: AnyExample;
}

export interface SampleFiles {
  /** Text by file name. */
  files: Map<string, string>;
  /** An example needs what does not exist, or two want one name for different things. */
  problems: string[];
}

/** The object that an example is, as a user would write it. */
export function exampleObject(kind: Described, example: AnyExample, name = example.name) {
  return { apiVersion: `${group}/${version}`, kind: kind.kind, metadata: { name }, spec: example.spec };
}

export function sampleFiles(kinds: Described[]): SampleFiles {
  const problems: string[] = [];
  const secrets = new Map<string, string>();
  const files = new Map<string, string>();
  for (const [kind, samples] of Map.groupBy(samplesOf(kinds, problems), (sample) => sample.kind))
    files.set(`${kind.plural}.yaml`, yamlFile(samples.flatMap((sample) => documents(sample, secrets, problems))));
  return { files, problems };
}

function samplesOf(kinds: Described[], problems: string[]): Sample[] {
  const samples = new Map<string, Sample>();
  const add = (sample: Sample): void => {
    const key = `${sample.kind.kind}/${sample.name}`;
    const known = samples.get(key);
    if (known && known.example !== sample.example)
      problems.push(`two examples want to be the sample ${key}: give one another name`);
    if (known) return;
    samples.set(key, sample);
    for (const need of sample.example.needs ?? []) {
      const found = needed(kinds, need);
      if (found) add(found);
      else problems.push(missing(sample, need));
    }
  };
  for (const kind of kinds)
    for (const example of kind.examples) if (example.sample) add({ kind, name: example.name, example });
  return [...samples.values()].sort((a, b) => (`${a.kind.kind}/${a.name}` < `${b.kind.kind}/${b.name}` ? -1 : 1));
}

type Need = NonNullable<AnyExample["needs"]>[number];

function needed(kinds: Described[], need: Need): Sample | undefined {
  const kind = kinds.find((candidate) => candidate.kind === need.kind);
  const example = kind?.examples.find((candidate) => candidate.name === need.example);
  return kind && example && { kind, name: need.name ?? example.name, example };
}

function missing({ kind, example }: Sample, need: Need): string {
  return `${kind.kind}: the example ${example.name} needs the example ${need.example} of ${need.kind}, which does not exist: add it there, or correct needs`;
}

/** The Secrets that nothing before it has brought, then the object. */
function documents(
  { kind, name, example }: Sample,
  known: Map<string, string>,
  problems: string[],
): { comment?: string; document: unknown }[] {
  const secrets = Object.entries(example.secrets ?? {}).filter(([secret, data]) => {
    const before = known.get(secret);
    if (before !== undefined && before !== JSON.stringify(data))
      problems.push(`${kind.kind}: another sample wants different data in the Secret ${secret}: give one another name`);
    known.set(secret, JSON.stringify(data));
    return before === undefined;
  });
  const needs = (example.needs ?? []).map((need) => `${need.kind} ${need.name ?? need.example}`);
  return [
    ...secrets.map(([secret, stringData]) => ({
      document: { apiVersion: "v1", kind: "Secret", metadata: { name: secret }, stringData },
    })),
    {
      comment: [example.doc, ...(needs.length > 0 ? [`Needs ${needs.join(", ")}.`] : [])].join("\n"),
      document: exampleObject(kind, example, name),
    },
  ];
}
