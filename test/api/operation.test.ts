import { expect, test } from "vitest";
import { operationOf } from "../../src/api/operation.ts";

test.each([
  ["/compute/instances", "GET /compute/instances", "a collection"],
  ["/compute/instances/12?x=1", "GET /compute/instances/*", "one of it"],
  ["/compute/instances/12/disks/3/resize", "GET /compute/instances/*/disks/*/resize", "an action below"],
  ["/images/private/12", "GET /images/*", "an identifier with a slash"],
  ["/images/private%2F12", "GET /images/*", "the same, escaped"],
  ["/object-storage/buckets/us-east/web/access", "GET /object-storage/buckets/*/*/access", "two identifiers"],
  ["/networking/ips/192.0.2.1", "GET /networking/ips/*", "an address"],
  ["/networking/ipv6/ranges/2001:db8::", "GET /networking/ipv6/ranges/*", "a range"],
  ["/tags/production", "GET /tags/*", "a name that users chose"],
])("%s belongs to %s: %s", (path, operation) => {
  expect(operationOf("GET", path)).toBe(operation);
});
