/**
 * deploy/samples: the examples marked as samples, and what they need, each object once and in the file of its kind.
 * examples/kinds: of each kind the plainest example, and those that show all of its fields, each file with all it needs.
 * An account stands apart from them: its Secret has no token, and would replace that of the account that is there.
 */
import { commonSpec } from "../core/kind/common-schema.ts";
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

/** The samples that the demo applies. */
export function sampleFiles(kinds: Described[]): SampleFiles {
  const problems: string[] = [];
  const wanted = kinds.flatMap((kind) =>
    kind.examples.filter(({ sample }) => sample).map((example) => ({ kind, name: example.name, example })),
  );
  const known = new Map<string, string>();
  const files = new Map<string, string>();
  for (const [kind, samples] of Map.groupBy(withNeeds(kinds, wanted, problems).sort(byName), (sample) => sample.kind))
    files.set(`${kind.plural}.yaml`, yamlFile(samples.flatMap((sample) => documents(sample, known, problems))));
  return { files, problems };
}

/** Of each kind that people write: `minimal/<plural>.yaml` and `full/<plural>.yaml`; the account in `account/`. */
export function kindSamples(kinds: Described[]): SampleFiles {
  const problems: string[] = [];
  const files = new Map<string, string>();
  for (const kind of kinds) {
    if (kind.examples.length === 0) continue;
    const [plainest] = kind.examples.toSorted((a, b) => fieldsIn(a).length - fieldsIn(b).length);
    for (const [size, examples] of [
      ["minimal", plainest ? [plainest] : []],
      ["full", showingAll(kind, problems)],
    ] as const) {
      const wanted = examples.map((example) => ({ kind, name: example.name, example }));
      const known = new Map<string, string>();
      const text = withNeeds(kinds, wanted, problems).flatMap((sample) => documents(sample, known, problems));
      const apart = kind.kind === "CloudAccount";
      files.set(apart ? `account/${size}.yaml` : `${size}/${kind.plural}.yaml`, yamlFile(text));
    }
  }
  return { files, problems: [...new Set(problems)] };
}

/** The fewest examples, as good as it goes, in which each field of the spec is. */
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
  for (const field of left) problems.push(`${kind.kind}: no example shows spec.${field}: add one, or add it to one`);
  return chosen;
}

function fieldsIn({ spec }: AnyExample): string[] {
  return Object.keys(spec);
}

/** With what each needs, before it. */
function withNeeds(kinds: Described[], wanted: Sample[], problems: string[]): Sample[] {
  const samples = new Map<string, Sample>();
  const add = (sample: Sample): void => {
    const key = `${sample.kind.kind}/${sample.name}`;
    const known = samples.get(key);
    if (known && known.example !== sample.example)
      problems.push(`two examples want to be the sample ${key}: give one another name`);
    if (known) return;
    for (const need of sample.example.needs ?? []) {
      const found = needed(kinds, need);
      if (found) add(found);
      else problems.push(missing(sample, need));
    }
    samples.set(key, sample);
  };
  wanted.forEach(add);
  return [...samples.values()];
}

function byName(a: Sample, b: Sample): number {
  return `${a.kind.kind}/${a.name}` < `${b.kind.kind}/${b.name}` ? -1 : 1;
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
  const unknown = (of: "Secret" | "ConfigMap", given: Record<string, Record<string, string>> = {}) =>
    Object.entries(given).filter(([one, data]) => {
      const before = known.get(`${of} ${one}`);
      if (before !== undefined && before !== JSON.stringify(data))
        problems.push(`${kind.kind}: another sample wants different data in the ${of} ${one}: give one another name`);
      known.set(`${of} ${one}`, JSON.stringify(data));
      return before === undefined;
    });
  const needs = (example.needs ?? []).map((need) => `${need.kind} ${need.name ?? need.example}`);
  return [
    ...unknown("Secret", example.secrets).map(([secret, stringData]) => ({
      document: { apiVersion: "v1", kind: "Secret", metadata: { name: secret }, stringData },
    })),
    ...unknown("ConfigMap", example.configMaps).map(([map, data]) => ({
      document: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: map }, data },
    })),
    {
      comment: [example.doc, ...(needs.length > 0 ? [`Needs ${needs.join(", ")}.`] : [])].join("\n"),
      document: exampleObject(kind, example, name),
    },
  ];
}
