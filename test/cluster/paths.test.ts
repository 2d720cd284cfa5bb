import { expect, it } from "vitest";
import { objectPath } from "../../src/cluster/paths.ts";
import { secrets } from "../../src/cluster/secrets.ts";

it.each([
  { namespace: "shop", name: ".." },
  { namespace: "shop", name: "." },
  { namespace: "..", name: "token" },
  { namespace: "shop", name: "" },
])("a path of %j is not made, because a URL with it names something else", (ref) => {
  expect(() => objectPath(secrets, ref)).toThrow(expect.objectContaining({ status: 404, sent: false }));
});

it("a slash in a name stays within its part of the path", () => {
  expect(objectPath(secrets, { namespace: "shop", name: "a/b" })).toBe("/api/v1/namespaces/shop/secrets/a%2Fb");
});
