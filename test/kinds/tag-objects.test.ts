import { expect, test } from "vitest";
import { carriersIn } from "../../src/kinds/account/tag-objects.ts";

test.each([{}, { id: null }, { id: "x" }])(
  "an instance without a readable ID is no object without the tag: %j",
  (data) => {
    expect(() => carriersIn([{ type: "compute", data }])).toThrow("id");
  },
);

test("a type that a Tag does not tag may have no ID", () => {
  const row = { type: "reserved_ipv4_address", data: { address: "192.0.2.1" } };
  expect(carriersIn([row])).toEqual([{ type: "reserved_ipv4_address", id: undefined, tags: [] }]);
});
