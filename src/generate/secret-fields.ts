/** Fields of specs that name a Secret or a ConfigMap, or write into a Secret, found by the mark `access` in the schemas. */
import type { Described } from "../core/kind/described.ts";
import { readSchema } from "./json-schema.ts";
import type { Source } from "./json-schema.ts";

/** A step from an object to a member, or from a list to its entries. */
export type Step = { member: string } | { most: number };

export interface SecretField {
  /** From `spec` to the name, or to the content. */
  steps: Step[];
  verb: "get" | "create";
  of: "Secret" | "ConfigMap";
  /** True if the reference has a `key`. */
  hasKey: boolean;
  /** Set for a field that is content of a Secret, and no name: whether the field is a map or a text. */
  content?: "map" | "text" | undefined;
}

/** An entry costs the API server 350,000 units. A policy may use 10,000,000. */
const mostEntries = 8;

/** Returns the fields of a kind, in the order of its schema. */
export function secretFieldsOf({ spec }: Pick<Described, "spec">): SecretField[] {
  return found(readSchema(spec), [], false);
}

/** Returns one line for a field with more entries than the API server can check. */
export function secretFieldProblems(kind: Pick<Described, "kind" | "spec">): string[] {
  const unbounded = secretFieldsOf(kind).filter(({ steps }) =>
    steps.some((step) => "most" in step && step.most > mostEntries),
  );
  return unbounded.map(
    ({ steps }) =>
      `${kind.kind} ${pathOf(steps)}: a list with names of Secrets has at most ${mostEntries} entries: use .max(n)`,
  );
}

/** Returns a path as messages write it, such as `spec.questions[].answerSecretRef`, with the entry of a list. */
export function pathOf(steps: Step[], entry: number | "" = ""): string {
  return steps.reduce((path, step) => ("member" in step ? `${path}.${step.member}` : `${path}[${entry}]`), "spec");
}

function found(node: Source, steps: Step[], hasKey: boolean): SecretField[] {
  const { access, properties = {}, items } = node;
  const own = access ? [fieldOf(node, access, steps, hasKey)] : [];
  const members = Object.entries(properties).flatMap(([member, property]) =>
    found(property, [...steps, { member }], "key" in properties),
  );
  const entries = items ? found(items, [...steps, { most: node.maxItems ?? Infinity }], false) : [];
  return [...own, ...members, ...entries];
}

function fieldOf({ type }: Source, access: NonNullable<Source["access"]>, steps: Step[], hasKey: boolean): SecretField {
  const { verb, of, content } = access;
  const form = type === "object" ? "map" : "text";
  return { steps, verb, of, hasKey, ...(content && { content: form }) };
}
