import type { Example } from "../../../src/core/kind/described.ts";
import { claimsNothing } from "../../../src/core/kind/owned.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { kinds } from "../../../src/kinds/registry.ts";

/** A kind and one of its examples: what the contract is kept for. */
export interface Subject {
  kind: Kind;
  example: Example<Record<string, unknown>>;
  /** For the name of a test: `Firewall web`. */
  title: string;
}

const ofShape = (shape: Kind["shape"]): Subject[] =>
  kinds.filter((kind) => kind.shape === shape).flatMap((kind) => carriedOut(kind).map((one) => subject(kind, one)));

/** What is created, kept and deleted; the other shapes have a contract of their own. */
const owned = kinds.filter(({ shape }) => shape === "owned");

/** Every example of every such kind. */
export const everyExample: Subject[] = ofShape("owned");

/** Every example of what is always there and set. */
export const everySetting: Subject[] = ofShape("setting").filter(({ kind }) => !claimsNothing(kind));

/** Every example of what is about something that is there, and sets nothing of it. */
export const everyIssued: Subject[] = ofShape("setting").filter(({ kind }) => claimsNothing(kind));

/** Every example of what is only read and reported. */
export const everySurvey: Subject[] = ofShape("survey");

/** Every example of what runs once. */
export const everyRun: Subject[] = ofShape("once");

/** Each example that tests carry out, of each shape. */
export const everyCarriedOut: Subject[] = kinds.flatMap((kind) => carriedOut(kind).map((one) => subject(kind, one)));

/** Each kind of each shape, by the first example that tests carry out. */
export const firstOfAll: Subject[] = kinds.map((kind) => {
  const [first] = carriedOut(kind);
  if (!first)
    throw new Error(`${kind.kind}: tests carry out none of its examples. Add an example that is not shownOnly`);
  return subject(kind, first);
});

/** Every such kind by its plainest example: the one that needs least, and of these the first. */
export const everyKind: Subject[] = owned.map((kind) => {
  const [plainest] = carriedOut(kind).toSorted((a, b) => weight(a) - weight(b));
  if (!plainest) throw new Error(`${kind.kind} has no example`);
  return subject(kind, plainest);
});

/**
 * For what no kind's own code takes part in: the plainest kind, and the one that has a bit of everything (Secrets,
 * transitions, steps). More of them would say the same again.
 */
export const twoKinds: Subject[] = everyKind.filter(({ kind }) => ["SSHKey", "ComputeInstance"].includes(kind.kind));

/** Every kind that can be changed, by an example that says in its spec what one of its changes changes; the plainest where none does. */
export const everyKindWithDrift: Subject[] = everyKind
  .filter((one) => !isHidden(one))
  .flatMap((plainest) => {
    const says = ({ example: { spec, changes = {} } }: Subject): boolean =>
      Object.values(changes).some((change) => Object.keys(change).every((field) => field in spec));
    const found = everyExample.find((one) => one.kind === plainest.kind && says(one)) ?? plainest;
    return found.example.changes ? [found] : [];
  });

/** True for what has a secret that only the response to its creation shows. */
export function isShownOnce({ kind: { secret }, example }: Pick<Subject, "kind" | "example">): boolean {
  return secret?.ofCreation !== undefined && (secret.when?.({ spec: example.spec }) ?? true);
}

/** True for what is replaced without a sign in its row, since the API shows nothing of what was sent. */
export function isHidden({ kind }: Pick<Subject, "kind">): boolean {
  return kind.digests !== undefined && kind.shownDigests === undefined;
}

/** True where there can be only one, so that nothing is almost the same. */
export function isSingle({ kind }: Pick<Subject, "kind">): boolean {
  return kind.absentIn !== undefined;
}

/** True for what is made by a URL that is signed first: that it was signed twice made nothing twice. */
export function isDelivered({ kind }: Pick<Subject, "kind">): boolean {
  return kind.delivery !== undefined;
}

/** The example that another one needs. */
export function neededSubject({ kind, example }: { kind: string; example: string }): Subject {
  const found = everyExample.find((one) => one.kind.kind === kind && one.example.name === example);
  if (!found) throw new Error(`no kind has the example ${kind} ${example}`);
  return found;
}

/**
 * Returns the examples that tests carry out. A `shownOnly` example names resources that no test creates, so that every
 * test takes its examples from here.
 */
export function carriedOut({ examples }: Pick<Kind, "examples">): Subject["example"][] {
  return examples.filter(({ shownOnly }) => !shownOnly);
}

function subject(kind: Kind, example: Subject["example"]): Subject {
  return { kind, example, title: `${kind.kind} ${example.name}` };
}

function weight({ needs = [], secrets = {} }: Subject["example"]): number {
  return needs.length + Object.keys(secrets).length;
}
