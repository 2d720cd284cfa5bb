/** Specs with a given value in one field, made from examples. */
import { isDeepStrictEqual } from "node:util";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { isObject, namesIn, withValue, without } from "./paths.ts";
import type { Spec } from "./paths.ts";
import { plainExamples, wholeExamples } from "./plain.ts";
import type { PlainExample } from "./plain.ts";
import { allChoices, choicesAt, isAccepted, isImmutable } from "./schema.ts";

export interface Candidate extends PlainExample {
  /** The spec of the example without the value. */
  before: Spec;
}

/** Most changes of further fields that the schema can require for the value. */
const mostChanges = 2;
const mostCandidates = 12;
/** With fewer candidates, the search also returns candidates with a further change. */
const fewCandidates = 4;

interface Wanted {
  path: string;
  values: readonly unknown[];
  /** The API server must accept the change from the example to the spec. */
  changing: boolean;
}

/** Returns specs of examples with a value at the path. The schema accepts the specs after the fewest changes of further fields. */
export function candidatesFor(kind: Kind, wanted: Wanted): Candidate[] {
  const found = search(kind, plainExamples(kind), wanted);
  return found.length > 0 ? found : search(kind, wholeExamples(kind), wanted);
}

/** Returns the example as a candidate with the spec. */
export function candidateOf(example: PlainExample, spec: Spec = example.spec): Candidate {
  return { ...example, before: example.spec, spec };
}

function search(kind: Kind, examples: PlainExample[], { path, values, changing }: Wanted): Candidate[] {
  const isFitting = ({ before, spec }: Candidate): boolean =>
    isAccepted(kind, spec) && (!changing || isPossible(kind, before, spec));
  const changed = (round: Candidate[]): Candidate[] =>
    round.flatMap((candidate) => changesOf(kind, candidate.spec, path).map((spec) => withSpec(candidate, spec)));
  const bases = changing ? examples.flatMap((example) => withChoices(kind, example)) : examples;
  let round = bases.flatMap((example) =>
    values.flatMap((value) => withValue(example.spec, path, value).map((spec) => candidateOf(example, spec))),
  );
  for (let changes = 0; changes <= mostChanges; changes += 1) {
    const found = round.filter(isFitting);
    const more = found.length > 0 && found.length < fewCandidates ? changed(found).filter(isFitting) : [];
    if (found.length > 0)
      return [...found, ...more].slice(0, mostCandidates).map((candidate) => withoutOwn(candidate, path));
    round = changed(round);
  }
  return [];
}

function withSpec(candidate: Candidate, spec: Spec): Candidate {
  return { ...candidate, spec };
}

function withoutOwn(candidate: Candidate, path: string): Candidate {
  return { ...candidate, own: candidate.own.filter((name) => name.path !== path) };
}

/** Returns the example, and a copy with every choice of its lists of choices, such as the permitted disruptions. */
function withChoices(kind: Kind, example: PlainExample): PlainExample[] {
  const choices = allChoices(kind);
  const spec = { ...example.spec, ...choices };
  return Object.keys(choices).length > 0 && isAccepted(kind, spec) ? [{ ...example, spec }, example] : [example];
}

/** Returns specs in which a sibling of a name in the path is removed, or has a different choice. */
function changesOf(kind: Kind, spec: Spec, path: string): Spec[] {
  const names = namesIn(path);
  return names.flatMap((name, depth) => {
    const above = names.slice(0, depth);
    const at = memberAt(spec, above);
    const siblings = Object.keys(at).filter((sibling) => sibling !== name);
    const removed = siblings.map((sibling) => without(spec, above.concat(sibling)));
    const choices = choicesAt(kind, above.join(".")).filter((choice) => choice.name !== name);
    const chosen = choices.flatMap((choice) =>
      choice.values
        .filter((value) => value !== at[choice.name])
        .map((value) => withMember(spec, above, choice.name, value)),
    );
    return removed.concat(chosen);
  });
}

function memberAt(spec: Spec, names: readonly string[]): Spec {
  return names.reduce<Spec>((at, name) => {
    const { [name]: member } = at;
    return ((Array.isArray(member) ? member[0] : member) ?? {}) as Spec;
  }, spec);
}

function withMember(spec: Spec, [name, ...rest]: readonly string[], member: string, value: unknown): Spec {
  if (name === undefined) return { ...spec, [member]: value };
  const { [name]: at } = spec;
  if (Array.isArray(at)) return { ...spec, [name]: at.map((entry) => withMember(entry as Spec, rest, member, value)) };
  return { ...spec, [name]: withMember((at ?? {}) as Spec, rest, member, value) };
}

/** Returns true if the API server permits every difference. */
function isPossible(kind: Kind, before: Spec, after: Spec, path = ""): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((name) => {
    const [from, to] = [before[name], after[name]];
    if (isDeepStrictEqual(from, to)) return true;
    const at = path === "" ? name : `${path}.${name}`;
    if (isImmutable(kind, at)) return false;
    return !isObject(from) || !isObject(to) || isPossible(kind, from, to, at);
  });
}
