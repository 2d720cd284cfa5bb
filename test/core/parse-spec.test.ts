import { expect, test } from "vitest";
import { parseSpec } from "../../src/core/kind/parse-spec.ts";
import { firewall } from "../../src/kinds/networking/firewall.ts";

const spec = { inboundPolicy: "DROP", outboundPolicy: "DROP" };

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
