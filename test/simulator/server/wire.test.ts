import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";

test("every answer has exactly the JSON content type, errors included", async () => {
  const simulator = await running();
  const replies = await Promise.all([
    simulator.call("GET", "/profile"),
    simulator.call("GET", "/profile", undefined, { token: "wrong" }),
    simulator.call("GET", "/nothing/here"),
    simulator.call("POST", "/profile/sshkeys", "{"),
    simulator.call("PATCH", "/regions"),
  ]);
  expect(replies.map((reply) => reply.status)).toEqual([200, 401, 404, 400, 405]);
  expect(replies.map((reply) => reply.headers.get("content-type"))).toEqual(Array(5).fill("application/json"));
  expect(replies.at(-1)?.headers.get("allow")).toBe("GET");
  expect(replies.slice(1).every((reply) => reasons(reply).length > 0)).toBe(true);
});

test("part 1 section 1 rule 7: an identifier with a slash arrives as two segments or as one encoded", async () => {
  const simulator = await running();
  const two = await simulator.ok("GET", "/compute/kernels/compute/grub2");
  const one = await simulator.ok("GET", "/compute/kernels/compute%2Fgrub2");
  expect(two["id"]).toBe("compute/grub2");
  expect(one).toEqual(two);
});

test("a trailing slash, the beta root and an empty body with a JSON content type are accepted", async () => {
  const simulator = await running();
  expect((await simulator.call("GET", "/profile/")).status).toBe(200);
  expect((await simulator.call("GET", "/v4beta/profile")).status).toBe(200);
  expect(
    (await simulator.call("PUT", "/profile", "", { headers: { "Content-Type": "application/json" } })).status,
  ).toBe(200);
});

test.each([
  { body: { ssh_key: 5 }, field: "ssh_key", why: "a wrong type names the field" },
  { body: {}, field: "ssh_key", why: "a missing required field is named" },
  { body: { ssh_key: null }, field: "ssh_key", why: "null is no value for a required field" },
  { body: { ssh_key: "ssh-rsa AA", label: "x".repeat(65) }, field: "label", why: "a text over its bound is named" },
])("part 1 section 7 rule 1: a bad body is refused: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/profile/sshkeys", body);
  expect(reply.status).toBe(400);
  expect(reasons(reply).some((line) => line.startsWith(`${field}: `))).toBe(true);
  expect((await simulator.ok("GET", "/profile/sshkeys"))["results"]).toBe(0);
});

test("null for an optional field means unset and unknown fields are ignored", async () => {
  const simulator = await running();
  const key = await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: null, colour: "red" });
  expect(key).toEqual({ id: 1, label: "", ssh_key: "ssh-rsa AAAA", created: "2026-01-01T00:00:00" });
});

test("part 1 section 1 rule 2: a body that is not an object, and one that is too long, are refused without a stack trace", async () => {
  const simulator = await running();
  const array = await simulator.call("POST", "/profile/sshkeys", []);
  const long = await simulator.call("POST", "/profile/sshkeys", { ssh_key: "x".repeat(1_100_000) });
  expect([array.status, long.status]).toEqual([400, 400]);
  expect(array.text + long.text).not.toMatch(/\bat \w|node_modules/);
});

test("part 1 section 1 rule 6: a path parameter that is no integer is a 404", async () => {
  const simulator = await running();
  expect((await simulator.call("GET", "/compute/instances/abc")).status).toBe(404);
  expect((await simulator.call("GET", "/compute/instances/1.5")).status).toBe(404);
});
