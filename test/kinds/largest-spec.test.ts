import { expect, test } from "vitest";
import { parse } from "yaml";
import { filesOf } from "../support/sources.ts";

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  enum?: string[];
  pattern?: string;
}

/** Characters of the JSON of the largest value that the schema permits; Infinity if a length or a count has no limit. */
function largest(schema: Schema): number {
  const { type, properties = {}, additionalProperties, items, enum: values } = schema;
  if (values) return Math.max(...values.map((value) => value.length)) + 2;
  if (type === "string") return (schema.maxLength ?? Infinity) + 2;
  if (type === "array") return (schema.maxItems ?? Infinity) * (largest(items ?? {}) + 1);
  if (type !== "object") return 24;
  const own = Object.entries(properties).reduce((sum, [name, one]) => sum + name.length + 4 + largest(one), 2);
  if (typeof additionalProperties !== "object") return own;
  return own + (schema.maxProperties ?? Infinity) * (256 + largest(additionalProperties));
}

const specs = filesOf("crds/*.yaml").flatMap(({ text }) => {
  const { spec } = parse(text) as {
    spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const own = spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"];
  return own ? [{ kind: spec.names.kind, size: largest(own) }] : [];
});

test("the CRDs bound the size of every spec that a user can write to what etcd stores", () => {
  expect(specs.length).toBeGreaterThan(30);
  expect(specs.filter(({ size }) => size > 1_750_000)).toEqual([]);
});
