import { expect, test } from "vitest";
import type { Operation } from "../../../../src/simulator/server/operation.ts";
import { findRoute } from "../../../../src/simulator/server/http/routes.ts";

function operation(method: Operation["method"], path: string, more: Partial<Operation> = {}): Operation {
  return { method, path, summary: path, handler: () => undefined, ...more };
}

const operations = [
  operation("GET", "/images/{image}", { params: { image: "slug" } }),
  operation("GET", "/images/types"),
  operation("GET", "/compute/{computeId}/disks/{diskId}"),
  operation("DELETE", "/compute/{computeId}/disks/{diskId}"),
  operation("GET", "/compute/types/disks"),
  operation("GET", "/vpcs", { beta: true }),
];

test.each<[string, string, Record<string, string>, string]>([
  ["/v4/images/types", "/images/types", {}, "a literal segment wins over a parameter"],
  ["/v4/images/acme%2Fdebian12", "/images/{image}", { image: "acme/debian12" }, "a parameter is decoded"],
  ["/v4/images/acme/debian12", "/images/{image}", { image: "acme/debian12" }, "a slug may span two segments"],
  [
    "/v4/compute/types/disks/7",
    "/compute/{computeId}/disks/{diskId}",
    { computeId: "types", diskId: "7" },
    "a literal segment that leads nowhere wins nothing",
  ],
  ["/v4/%69mages/types/", "/images/types", {}, "an encoded letter and a slash at the end are the same path"],
  ["/v4beta/vpcs", "/vpcs", {}, "a beta operation is under v4beta"],
])("%s is %s with %o: %s", (path, found, params) => {
  expect(findRoute(operations, "GET", path)).toMatchObject({ operation: { method: "GET", path: found }, params });
});

test.each([
  ["/v4/vpcs", "a beta operation is not under v4"],
  ["/v4/images", "a path ends too early"],
  ["/v4/images/a/b/c", "a path goes on for too long"],
  [`/v4/images/${"a".repeat(513)}`, "a parameter is too long"],
  ["/v3/images/types", "the version segment is another one"],
])("%s is no path: %s", (path) => {
  expect(findRoute(operations, "GET", path)).toBeUndefined();
});

test("a path without an operation for the method has the methods that it takes", () => {
  const found = findRoute(operations, "POST", "/v4/compute/1/disks/2");
  expect(found).toMatchObject({ operation: undefined, methods: ["GET", "DELETE"] });
});
