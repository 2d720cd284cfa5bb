/** Policies cover each field that names a Secret or a ConfigMap, or writes into a Secret. Generated definitions and references of kinds are the judges. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import type { References } from "../../src/core/kind/reference.ts";
import { orderedList, secretKeyReference } from "../../src/core/kind/schema.ts";
import { secretFieldProblems } from "../../src/generate/secret-fields.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";

interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
}

/**
 * Paths of fields that name a Secret or a ConfigMap, by words and names of the generated definition. A member of
 * `connectionSecret` is content of a Secret, unless it is a name or gives published values other keys.
 */
function namingFields(schema: Schema, path: string): string[] {
  const { properties = {}, items, additionalProperties } = schema;
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const isNamed = /(secret|configMap)(Ref|Name)$/i.test(name);
    const isContent = path.endsWith(".connectionSecret") && name !== "name" && name !== "keys";
    const isDescribed = name === "name" && /\b(Secret|ConfigMap)\b/.test(property.description ?? "");
    return isNamed || isContent || isDescribed
      ? [name === "name" && !path.endsWith("connectionSecret") ? path : `${path}.${name}`]
      : [];
  });
  const below = Object.entries(properties).flatMap(([name, property]) => namingFields(property, `${path}.${name}`));
  const within = [items, additionalProperties].flatMap((inner) =>
    inner?.type ? namingFields(inner, `${path}[]`) : [],
  );
  return [...new Set([...own, ...below, ...within])];
}

function definitionOf(plural: string): Schema {
  const crd = parse(readFileSync(`crds/${plural}.yaml`, "utf8")) as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Schema } } } }[] };
  };
  return crd.spec.versions[0]!.schema.openAPIV3Schema.properties.spec;
}

interface Policy {
  kind: string;
  metadata: { name: string };
  spec: { validations?: { message: string }[] };
}

const policies = parseAllDocuments(readFileSync("deploy/admission/secrets.yaml", "utf8")).map(
  (document) => document.toJS() as Policy,
);

/** Paths in the messages of a policy, without numbers of list entries. */
function coveredFields(plural: string): string[] {
  const policy = policies.find(({ metadata }) => metadata.name === `secrets.${plural}.cloudplatform.dev`);
  const paths = policy?.spec.validations?.map(({ message }) => /^([^:]+):/.exec(message)?.[1] ?? "") ?? [];
  return [...new Set(paths.map((path) => path.replaceAll(/\[\d+\]/g, "[]")))].sort();
}

const all = [...kinds, cloudAccount];

describe.each(all)("$kind", (kind) => {
  it("has each field that names a Secret or ConfigMap, or writes into a Secret, in its policy, and no other field", () => {
    expect(coveredFields(kind.plural)).toEqual(namingFields(definitionOf(kind.plural), "spec").sort());
  });

  it("reads no Secret by a reference without a policy", () => {
    const { references = {} } = kind as unknown as { references?: References<unknown> };
    const read = kind.examples.flatMap(({ spec }) =>
      Object.values(references).flatMap((one) => ("secret" in one ? (pathTo(spec, one.secret(spec)) ?? []) : [])),
    );
    expect(read.filter((path) => !coveredFields(kind.plural).includes(path))).toEqual([]);
  });
});

/** Path of a value in a spec. */
function pathTo(node: unknown, value: unknown, path = "spec"): string | undefined {
  if (value === undefined || typeof node !== "object" || node === null) return undefined;
  if (node === value) return path;
  for (const [name, member] of Object.entries(node)) {
    const found = pathTo(member, value, Array.isArray(node) ? `${path}[]` : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

it("the judge finds known fields", () => {
  const found = all.flatMap(({ plural }) =>
    namingFields(definitionOf(plural), "spec").map((path) => `${plural} ${path}`),
  );
  expect(found).toEqual(
    expect.arrayContaining([
      "bucketobjects spec.contentSecretRef",
      "bucketobjects spec.contentConfigMapRef",
      "cloudaccounts spec.tokenSecretRef",
      "computeactions spec.rebuild.stackScript.dataSecretRef",
      "securityquestions spec.questions[].answerSecretRef",
      "managedmysqls spec.connectionSecret.name",
      "presignedurls spec.connectionSecret.labels",
      "presignedurls spec.connectionSecret.template",
      "presignedurls spec.connectionSecret.type",
      "images spec.source.handOff.secretName",
    ]),
  );
  expect(found.length).toBeGreaterThanOrEqual(20);
});

it("a list with more entries than the API server can authorize is refused by the generator", () => {
  const spec = z.object({ refs: orderedList(secretKeyReference("A Secret.", "key"), 9) });
  expect(secretFieldProblems({ kind: "Probe", spec })).toEqual([
    "Probe spec.refs[].name: a list with names of Secrets has at most 8 entries: use .max(n)",
  ]);
});
