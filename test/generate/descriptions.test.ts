/** Descriptions that `kubectl explain` shows one below the other repeat no fact. */
import { describe, expect, it } from "vitest";
import { customResourceDefinition, resourceOf } from "../../src/generate/crd.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

/** Words without a fact. */
const empty = new Set("a an and are for in is it of or s so that the then this to you with".split(" "));

/** Largest share of equal words in two sentences of a field and of one of its parents. */
const mostAlike = 0.6;

function wordsOf(text: string): Set<string> {
  const words =
    text
      .replaceAll(/([a-z\d])(?=[A-Z])/g, "$1 ")
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return new Set(words.filter((word) => !empty.has(word)).map((word) => word.replace(/s$/, "")));
}

function sentencesOf({ description = "" }: Schema): string[] {
  return description.split(/(?<=[.!?])\s+/).filter((sentence) => sentence !== "");
}

/** Returns the share of equal words. A short sentence, such as `Defaults to 0.`, counts as different. */
function alike(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.size < 3 || b.size < 3) return one === other ? 1 : 0;
  return [...a].filter((word) => b.has(word)).length / new Set([...a, ...b]).size;
}

interface Above {
  path: string;
  sentences: string[];
}

function* repetitionsIn(schema: Schema, path: string, parents: Above[] = []): Generator<string> {
  const sentences = sentencesOf(schema);
  for (const sentence of sentences)
    for (const { path: above, sentences: told } of parents)
      for (const one of told)
        if (alike(sentence, one) >= mostAlike) yield `${path}: "${sentence}" repeats ${above}: "${one}"`;
  if (new Set(sentences).size < sentences.length) yield `${path} repeats itself`;
  const name = path.slice(path.lastIndexOf(".") + 1);
  const words = [...wordsOf(schema.description ?? "")];
  if (words.length > 0 && words.every((word) => wordsOf(name).has(word)))
    yield `${path}: "${schema.description}" repeats the name of the field`;
  const here = [...parents, { path, sentences }];
  for (const [member, inner] of Object.entries(schema.properties ?? {}))
    yield* repetitionsIn(inner, `${path}.${member}`, here);
  if (schema.items) yield* repetitionsIn(schema.items, `${path}[]`, here);
  if (typeof schema.additionalProperties === "object")
    yield* repetitionsIn(schema.additionalProperties, `${path}{}`, here);
}

describe("kubectl explain repeats no fact", () => {
  it.each([...kinds, ...mirrors, cloudAccount].map((kind) => [kind.kind, kind] as const))("for %s", (name, kind) => {
    const { versions } = customResourceDefinition(resourceOf(kind)).spec as unknown as {
      versions: { schema: { openAPIV3Schema: Schema } }[];
    };
    const schemas = versions.map(({ schema }) => schema.openAPIV3Schema);
    expect(schemas.flatMap((schema) => Array.from(repetitionsIn(schema, name)))).toEqual([]);
  });

  it.each([
    [
      "the same sentence",
      { description: "Size of the disk.", properties: { a: { description: "Size of the disk." } } },
    ],
    ["the same words", { description: "Rules for old apps.", items: { description: "The rules for an old app." } }],
    ["the name", { properties: { sizeMB: { description: "The size in MB." } } }],
    ["itself", { description: "One fact for you. One fact for you." }],
  ])("the measure finds %s", (_, schema) => {
    expect([...repetitionsIn(schema as Schema, "Kind")]).not.toEqual([]);
  });
});
