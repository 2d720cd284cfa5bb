/** The tag of an installation proves nothing if a user can set the tag. */
import { expect, it } from "vitest";
import { parse } from "yaml";
import { kinds } from "../../src/kinds/registry.ts";
import { filesOf } from "../support/sources.ts";

interface Definition {
  spec: { names: { kind: string }; versions: [{ schema: { openAPIV3Schema: Schema } }] };
}

interface Schema {
  properties: Record<string, Schema>;
  "x-kubernetes-validations"?: { rule: string; message: string }[];
}

const tagged = kinds.filter(({ spec }) => "tags" in spec.shape);
const says = "the prefix cpo- is reserved for the tags of operator installations. Choose another tag";

it("three kinds have tags in their specs", () => {
  expect(tagged.map(({ kind }) => kind).toSorted()).toEqual(["ComputeInstance", "Domain", "Firewall"]);
});

it.each(tagged.map((kind) => [kind.kind, kind] as const))(
  "%s refuses the tag of an installation in spec.tags, in the parser and in the CRD",
  (name, { spec, examples }) => {
    const [example] = examples;
    const errors = (tags: string[]) =>
      spec.safeParse({ ...example?.spec, tags }).error?.issues.map(({ path, message }) => [path.join("."), message]);
    expect(errors(["shop", "cpo-8bcb7210"])).toEqual([["tags", says]]);
    expect(errors(["shop", "not-cpo-8bcb7210"])).toBeUndefined();
    const definitions = filesOf("crds/*.yaml").map(({ text }) => parse(text) as Definition);
    const definition = definitions.find((one) => one.spec.names.kind === name);
    const { properties } = definition?.spec.versions[0].schema.openAPIV3Schema ?? {};
    const rules = properties?.["spec"]?.properties["tags"]?.["x-kubernetes-validations"];
    expect(rules).toEqual([{ rule: "self.all(tag, !tag.startsWith('cpo-'))", message: says }]);
  },
);
