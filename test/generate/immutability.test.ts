import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/api/types.ts";
import { immutable, ownName, rule } from "../../src/core/kind/schema.ts";
import { structural } from "../../src/generate/structural.ts";

const short = z.string().max(10);

/** One field of a spec, which is required unless the field says otherwise. */
function field(schema: z.ZodType) {
  const {
    schema: spec,
    rules,
    ...marks
  } = structural(z.object({ f: schema.describe("F.") }), "spec", ": make another");
  return { of: spec.properties?.["f"] ?? {}, spec, rules, ...marks };
}

describe("immutability", () => {
  it("is a rule on a field that is always there", () => {
    expect(field(immutable(short)).of["x-kubernetes-validations"]).toEqual([
      { rule: "self == oldSelf", message: "spec.f cannot change after creation: make another" },
    ]);
  });

  it("is a rule on the parent of an optional field, against adding and removing", () => {
    const { of, spec } = field(immutable(short).optional());
    expect(of["x-kubernetes-validations"]).toBeUndefined();
    expect(spec["x-kubernetes-validations"]).toEqual([
      {
        rule: "has(self.f) == has(oldSelf.f) && (!has(self.f) || self.f == oldSelf.f)",
        message: "spec.f cannot change after creation: make another",
        fieldPath: ".f",
      },
    ]);
  });

  it("takes what the absence of a field means for its absence", () => {
    const ruleOf = (schema: z.ZodType, absent: Json) =>
      field(immutable(schema, { absent }).optional()).spec["x-kubernetes-validations"]?.map((one) => one.rule);
    expect(ruleOf(short, "one")).toEqual([
      'has(self.f) && has(oldSelf.f) ? self.f == oldSelf.f : (!has(self.f) || self.f == "one") && (!has(oldSelf.f) || oldSelf.f == "one")',
    ]);
    const reference = z.object({ a: short.describe("A."), b: short.describe("B.").optional() });
    expect(ruleOf(reference, { a: "one" })).toEqual([
      'has(self.f) && has(oldSelf.f) ? self.f == oldSelf.f : (!has(self.f) || self.f.a == "one" && !has(self.f.b)) && (!has(oldSelf.f) || oldSelf.f.a == "one" && !has(oldSelf.f.b))',
    ]);
  });

  it("is a rule on the object where a field's absence means the object's name", () => {
    const { spec, rules } = field(immutable(short, { absent: ownName }).optional());
    expect(spec["x-kubernetes-validations"]).toBeUndefined();
    expect(rules).toEqual([
      {
        rule: "has(self.spec.f) && has(oldSelf.spec.f) ? self.spec.f == oldSelf.spec.f : (!has(self.spec.f) || self.spec.f == self.metadata.name) && (!has(oldSelf.spec.f) || oldSelf.spec.f == self.metadata.name)",
        message: "spec.f cannot change after creation: make another",
        fieldPath: ".spec.f",
      },
    ]);
  });

  it("is found outside of .optional() as well", () => {
    expect(field(immutable(short.optional())).spec["x-kubernetes-validations"]).toHaveLength(1);
  });

  it("stands once, on the outermost field that has it", () => {
    const outer = immutable(z.object({ k: immutable(short.describe("K.")) }).optional());
    const { of, spec, immutable: paths } = field(outer);
    expect(JSON.stringify(of)).not.toContain("oldSelf");
    expect(spec["x-kubernetes-validations"]).toHaveLength(1);
    expect([...paths].sort()).toEqual(["spec.f", "spec.f.k"]);
  });

  it("escapes words of CEL", () => {
    const { schema } = structural(z.object({ import: immutable(short).describe("I.").optional() }), "spec");
    expect(schema["x-kubernetes-validations"]?.[0]?.rule).toContain("has(self.__import__)");
  });

  it("leaves the rules that were there", () => {
    const checked = rule(short, { cel: "self != 'x'", check: (value) => value !== "x", message: "not x" });
    expect(field(immutable(checked)).of["x-kubernetes-validations"]?.map(({ message }) => message)).toEqual([
      "not x",
      "spec.f cannot change after creation: make another",
    ]);
  });

  it("is one rule for three fields of an object or more, whose message names those that were changed", () => {
    const schema = z.object({
      a: immutable(short).describe("A."),
      b: immutable(short.optional()).describe("B."),
      c: immutable(z.int(), { absent: 1 }).describe("C.").optional(),
    });
    const { schema: spec, immutable: marked } = structural(schema, "spec", ": make another");
    const [a, b, c] = [
      "(!has(oldSelf.a) || self.a == oldSelf.a)",
      "(has(self.b) == has(oldSelf.b) && (!has(self.b) || self.b == oldSelf.b))",
      "((has(self.c) ? self.c : 1) == (has(oldSelf.c) ? oldSelf.c : 1))",
    ];
    expect([...marked]).toEqual(["spec.a", "spec.b", "spec.c"]);
    expect(spec.properties?.["a"]).not.toHaveProperty("x-kubernetes-validations");
    expect(spec["x-kubernetes-validations"]).toEqual([
      {
        rule: `${a} && ${b} && ${c}`,
        message: "a field cannot change after creation",
        messageExpression: `((${a} ? "" : "spec.a, ") + (${b} ? "" : "spec.b, ") + (${c} ? "" : "spec.c, ") + "cannot change after creation: make another").replace(", cannot", " cannot")`,
      },
    ]);
  });
});
