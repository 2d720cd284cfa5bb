import { describe, expect, it } from "vitest";
import * as z from "zod";
import { freeForm, immutable, orderedList, rule, setOf, transitionRule } from "../../src/core/kind/schema.ts";
import { structural } from "../../src/generate/structural.ts";

const short = z.string().max(10);

/** Schema and problems of one field of a spec, which is required unless the field says otherwise. */
function field(schema: z.ZodType) {
  const {
    schema: spec,
    problems,
    ...marks
  } = structural(z.object({ f: schema.describe("F.") }), "spec", ": make another");
  const { description, ...of } = spec.properties?.["f"] ?? {};
  return { of, description, problems, spec, ...marks };
}

describe("what has a structural form", () => {
  const cases: { why: string; schema: z.ZodType; form: object }[] = [
    {
      why: "bounds of a string",
      schema: z.string().min(2).max(5),
      form: { type: "string", minLength: 2, maxLength: 5 },
    },
    {
      why: "a pattern stays as written",
      schema: short.regex(/^[a-z]+$/),
      form: { type: "string", maxLength: 10, pattern: "^[a-z]+$" },
    },
    {
      why: "two patterns need allOf, whose members may not repeat the type",
      schema: short.regex(/a/).regex(/b/),
      form: { type: "string", maxLength: 10, allOf: [{ pattern: "a" }, { pattern: "b" }] },
    },
    { why: "an enumeration is its own bound", schema: z.enum(["A", "B"]), form: { type: "string", enum: ["A", "B"] } },
    { why: "a literal is an enumeration of one", schema: z.literal("A"), form: { type: "string", enum: ["A"] } },
    {
      why: "numbers that may only be whole are integers, so that 1.5 is no type of them",
      schema: z.literal([1, 3]),
      form: { type: "integer", enum: [1, 3] },
    },
    {
      why: "a union of literals and enumerations of one type is one enumeration",
      schema: z.union([z.literal("A"), z.enum(["B", "C"])]),
      form: { type: "string", enum: ["A", "B", "C"] },
    },
    {
      why: "a union with null is nullable",
      schema: z.union([short, z.null()]),
      form: { type: "string", nullable: true, maxLength: 10 },
    },
    { why: "the bounds that zod gives every integer say nothing", schema: z.int(), form: { type: "integer" } },
    {
      why: "bounds of one's own stay",
      schema: z.int().min(1).max(9),
      form: { type: "integer", minimum: 1, maximum: 9 },
    },
    {
      why: "OpenAPI 3.0 has exclusive bounds as flags",
      schema: z.number().gt(0),
      form: { type: "number", minimum: 0, exclusiveMinimum: true },
    },
    {
      why: "a strict object is pruned by the server anyway",
      schema: z.strictObject({}),
      form: { type: "object", properties: {} },
    },
    {
      why: "readOnly and examples are no part of it",
      schema: z
        .boolean()
        .meta({ examples: [true] })
        .readonly(),
      form: { type: "boolean" },
    },
    {
      why: "a format of known length bounds the string",
      schema: z.ipv4().meta({ pattern: undefined }),
      form: { type: "string", format: "ipv4", maxLength: 15 },
    },
    {
      why: "a format that only zod knows stays away, its pattern does the work",
      schema: short.startsWith("a"),
      form: { type: "string", maxLength: 10, pattern: "^a.*" },
    },
    {
      why: "a set is unique by its list type, without a rule",
      schema: setOf(short, 3),
      form: { type: "array", "x-kubernetes-list-type": "set", maxItems: 3, items: { type: "string", maxLength: 10 } },
    },
    {
      why: "a list by key names the key",
      schema: z
        .array(z.object({ k: short.describe("K.") }))
        .max(2)
        .meta({ listType: "map", listMapKeys: ["k"] }),
      form: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        maxItems: 2,
        items: {
          type: "object",
          required: ["k"],
          properties: { k: { description: "K.", type: "string", maxLength: 10 } },
        },
      },
    },
    {
      why: "the keys of a map are bounded by a rule, since no structural schema can",
      schema: z.record(short, short).meta({ maxProperties: 2 }),
      form: {
        type: "object",
        maxProperties: 2,
        additionalProperties: { type: "string", maxLength: 10 },
        "x-kubernetes-validations": [
          { rule: "self.all(key, size(key) <= 10)", message: "a key has at most 10 characters" },
        ],
      },
    },
    {
      why: "the one rule of a map says that as well",
      schema: rule(z.record(short, short).meta({ maxProperties: 2 }), {
        cel: "!('x' in self)",
        check: (map) => !("x" in map),
        message: "must have no x",
      }),
      form: {
        type: "object",
        maxProperties: 2,
        additionalProperties: { type: "string", maxLength: 10 },
        "x-kubernetes-validations": [
          {
            rule: "(!('x' in self)) && self.all(key, size(key) <= 10)",
            message: "must have no x; a key has at most 10 characters",
          },
        ],
      },
    },
    {
      why: "keys of the operator's own making need no rule, which costs memory in the API server",
      schema: z.record(z.string(), short).meta({ maxProperties: 2, ownKeys: true }),
      form: { type: "object", maxProperties: 2, additionalProperties: { type: "string", maxLength: 10 } },
    },
    {
      why: "a rule becomes a validation with its message and place",
      schema: rule(short, { cel: "self != 'x'", check: (value) => value !== "x", message: "not x", fieldPath: ".f" }),
      form: {
        type: "string",
        maxLength: 10,
        "x-kubernetes-validations": [{ rule: "self != 'x'", message: "not x", fieldPath: ".f" }],
      },
    },
    {
      why: "a rule whose message begins with the name of a field is at that field, so that the error names it",
      schema: rule(z.object({ port: z.int().min(0).max(9).describe("A port.").optional() }), {
        cel: "has(self.port)",
        check: ({ port }) => port !== undefined,
        message: "port must be given for this",
      }),
      form: expect.objectContaining({
        "x-kubernetes-validations": [
          { rule: "has(self.port)", message: "port must be given for this", fieldPath: ".port" },
        ],
      }),
    },
    {
      why: "a rule about a change needs no refinement",
      schema: transitionRule(short, { cel: "self >= oldSelf", message: "never back" }),
      form: {
        type: "string",
        maxLength: 10,
        "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "never back" }],
      },
    },
  ];
  it.each(cases)("$why", ({ schema, form }) => {
    const { of, problems } = field(schema);
    expect(problems).toEqual([]);
    expect(of).toEqual(form);
  });

  it("takes the bound of a map from its rule", () => {
    const map = rule(z.record(short, short), {
      cel: "size(self) >= 1 && size(self) <= 8",
      check: (value) => Object.keys(value).length <= 8,
      message: "one to eight",
    });
    expect(field(map)).toMatchObject({ problems: [], of: { maxProperties: 8 } });
  });
});

describe("what is refused, and what its author is told", () => {
  const cases: { why: string; schema: z.ZodType; told: string }[] = [
    {
      why: "a string without bound makes every rule too expensive",
      schema: z.string(),
      told: "spec.f: a string needs an upper bound: add .max(n)",
    },
    {
      why: "a list without bound too",
      schema: z.array(short).meta({ listType: "atomic" }),
      told: "a list needs an upper bound",
    },
    {
      why: "server-side apply must know how to merge a list",
      schema: z.array(short).max(3),
      told: "a list needs a list type",
    },
    { why: "a map without bound", schema: z.record(short, short), told: "a map needs an upper bound" },
    {
      why: "keys without bound",
      schema: z.record(z.string(), short).meta({ maxProperties: 2 }),
      told: "keys of a map need an upper bound",
    },
    {
      why: "keys of a pattern cannot be said",
      schema: z.record(short.regex(/a/), short).meta({ maxProperties: 2 }),
      told: "use a rule() on the map",
    },
    {
      why: "an item inside of a list is judged too",
      schema: orderedList(z.string(), 3),
      told: "spec.f[]: a string needs an upper bound",
    },
    { why: "objects have no equality in a set", schema: setOf(z.object({}), 3), told: "use orderedList for objects" },
    {
      why: "the key of a list must always be there",
      schema: z
        .array(z.object({ k: short.describe("K.").optional() }))
        .max(2)
        .meta({ listType: "map", listMapKeys: ["k"] }),
      told: "each a required field of its items",
    },
    {
      why: "a refinement without rule holds in the controller alone",
      schema: short.refine((value) => value !== "x"),
      told: "1 refinement(s) that the API server does not know: use rule()",
    },
    {
      why: "no CEL reads a free form",
      schema: freeForm("Anything.").refine(() => true),
      told: "1 refinement(s) of a free form",
    },
    { why: "also by superRefine", schema: short.superRefine(() => undefined), told: "1 refinement(s)" },
    { why: "also outside of .optional()", schema: short.optional().refine(() => true), told: "1 refinement(s)" },
    {
      why: "a rule about a change does not stand for a refinement",
      schema: transitionRule(
        short.refine(() => true),
        { cel: "self == oldSelf", message: "same" },
      ),
      told: "1 refinement(s)",
    },
    {
      why: "rules outside of .optional() would hide those inside",
      schema: transitionRule(transitionRule(short, { cel: "self == oldSelf", message: "a" }).optional(), {
        cel: "self == oldSelf",
        message: "b",
      }),
      told: "put every rule inside",
    },
    {
      why: "a discriminated union",
      schema: z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]),
      told: "object of optional members",
    },
    { why: "a union of types", schema: z.union([short, z.int()]), told: "union of different types" },
    {
      why: "a union of a number and an enumeration",
      schema: z.union([z.literal(0), z.int().min(30)]),
      told: "union of different types",
    },
    { why: "an intersection", schema: z.intersection(z.object({}), z.object({})), told: "intersections" },
    {
      why: "the API server refuses null beside an enumeration, whether listed there or not",
      schema: z.enum(["A"]).nullable(),
      told: "takes no null for an enumeration: use .optional()",
    },
    { why: "any", schema: z.any(), told: "a type is missing" },
    { why: "unknown", schema: z.unknown(), told: "a type is missing" },
    { why: "a date has no JSON form", schema: z.date(), told: "Date cannot be represented" },
    { why: "fields without schema", schema: z.looseObject({}), told: "fields that no schema names" },
    {
      why: "a default under spec is a difference for tools that compare",
      schema: short.default("a"),
      told: "no default under spec",
    },
    {
      why: "a transform runs in the controller alone",
      schema: short.transform((value) => value.trim()),
      told: "normalise in want and have",
    },
    { why: "RE2 has no look-ahead", schema: short.regex(/^(?!x)/), told: "look-around" },
    { why: "RE2 has no look-behind", schema: short.regex(/(?<!x)y/), told: "look-around" },
    { why: "RE2 has no back references", schema: short.regex(/(a)\1/), told: "back reference" },
    { why: "RE2 writes code points otherwise", schema: short.regex(/\u00e9/), told: "\\u escape" },
    {
      why: "RE2 repeats at most 1000 times",
      schema: z
        .string()
        .max(2000)
        .regex(/^a{1,2000}$/),
      told: "more than 1000",
    },
    { why: "a CRD keeps no flags of a pattern", schema: short.regex(/^a$/i), told: "flags" },
    {
      why: "a format that the server does not know, without a pattern",
      schema: short.meta({ format: "rot13" }),
      told: "does not know the format rot13",
    },
    {
      why: "an item of a list has no certain old value",
      schema: orderedList(z.object({ k: immutable(short.describe("K.")) }), 2),
      told: "spec.f[].k: an item of a list or map cannot be immutable",
    },
    {
      why: "what is in an optional object goes with it",
      schema: z.object({ k: immutable(short.describe("K.")) }).optional(),
      told: "spec.f.k: immutable inside the optional spec.f, which a user could remove and add again: mark spec.f",
    },
  ];
  it.each(cases)("$why", ({ schema, told }) => {
    const { problems } = field(schema);
    expect(problems.join("\n")).toContain(told);
    expect(problems).not.toEqual([]);
  });

  it("wants a description of every field of a spec, however deep, and of none in a status", () => {
    const schema = z.object({ a: z.object({ b: z.boolean() }).describe("A.") });
    expect(structural(schema, "spec").problems).toEqual(['spec.a.b: a description is missing: add .describe("…")']);
    expect(structural(schema, "status").problems).toEqual([]);
  });

  it("says everything at once", () => {
    expect(field(z.object({ a: z.string(), b: z.any() })).problems).toHaveLength(4);
  });

  it("refuses a schema that holds itself", () => {
    const tree = z.object({
      get inner() {
        return tree.optional();
      },
    });
    expect(field(tree).problems.join()).toContain("no recursion");
  });
});
