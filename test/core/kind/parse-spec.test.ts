import { expect, test } from "vitest";
import { parseSpec } from "../../../src/core/kind/parse-spec.ts";
import { profilePreferences } from "../../../src/kinds/account/profile-preferences.ts";
import { image } from "../../../src/kinds/images/image.ts";
import { firewall } from "../../../src/kinds/networking/firewall.ts";

const spec = { inboundPolicy: "DROP", outboundPolicy: "DROP" };

const golden = { label: "golden", source: { handOff: { region: "us-east" } } };

test.for([
  {
    fields: { instanceRefs: [{ name: "web" }, { id: "01001" }] },
    says: "spec.instanceRefs[1]: exactly one of name and id must be given, and id must be the number",
    why: "a list",
  },
  {
    fields: { instanceRefs: [{ name: "web" }, { name: "db", port: 1 }] },
    says: "spec.instanceRefs[1].port: not known",
    why: "a list, where only a newer version knows it",
  },
  {
    fields: { management: { adopt: { id: ".." } } },
    says: "spec.management.adopt: exactly one of filter and id must be given, and id must be the number",
    why: "an object",
  },
])("a field is spelled as the API server spells it, in $why", ({ fields, says }) => {
  expect(() => parseSpec(firewall, { ...spec, ...fields })).toThrow(says);
});

test("the one name that no object of the programming language takes is not lost in a map", () => {
  const template = JSON.parse('{"__proto__":"{{ .url }}"}') as object;
  expect(() => parseSpec(image, { ...golden, connectionSecret: { template } })).toThrow(
    "spec.connectionSecret.template.__proto__: not known",
  );
});

/** Returns JSON of this depth: objects in objects, or lists in lists. */
function nested(depth: number, [open, close]: [string, string]): unknown {
  return JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);
}

test.for([
  { brackets: ['{"a":', "}"] as [string, string], of: "objects" },
  { brackets: ["[", "]"] as [string, string], of: "lists" },
])("a spec with 9,000 levels of $of is an InvalidSpec that names the field", ({ brackets }) => {
  const preferences = { theme: "dark", deep: nested(9_000, brackets) };
  expect(() => parseSpec(profilePreferences, { preferences })).toThrow(
    /^spec\.preferences: has more than 64 levels of objects and lists\./,
  );
});

test("a spec with 60 levels is valid", () => {
  const preferences = { deep: nested(58, ['{"a":', "}"]) };
  expect(parseSpec(profilePreferences, { preferences })).toEqual({ preferences });
});

test("a large spec that is reconciled again gives the same parsed spec", () => {
  const large = { preferences: { text: "x".repeat(100_000) } };
  expect(parseSpec(profilePreferences, large)).toBe(parseSpec(profilePreferences, large));
});
