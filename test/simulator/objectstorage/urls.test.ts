import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { bucket, MEDIA, plainUrl, put, signed } from "./bucket.ts";

test("what is put by a pre-signed URL is read, headed and deleted by others", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  const stored = await put(simulator, path, "folder/a b.txt", "grüß dich");
  expect([stored.status, stored.headers.get("etag")]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
  const read = await fetch(await signed(simulator, path, { method: "GET", name: "folder/a b.txt" }));
  expect([read.status, read.headers.get("content-type"), await read.text()]).toEqual([200, "text/plain", "grüß dich"]);
  const permit = { method: "HEAD", name: "folder/a b.txt", content_type: "text/plain" };
  const headers = { "Content-Type": "text/plain" };
  const headed = await fetch(await signed(simulator, path, permit), { method: "HEAD", headers });
  expect([headed.status, headed.headers.get("content-length")]).toEqual([200, "11"]);
  const url = await signed(simulator, path, { method: "DELETE", name: "folder/a b.txt" });
  expect((await fetch(url, { method: "DELETE" })).status).toBe(204);
  expect((await fetch(await signed(simulator, path, { method: "GET", name: "folder/a b.txt" }))).status).toBe(404);
});

test("bytes come back as they were sent", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) % 256);
  const url = await signed(simulator, path, { method: "PUT", name: "raw", content_type: "image/png" });
  await fetch(url, { method: "PUT", body: bytes, headers: { "Content-Type": "image/png" } });
  const read = await fetch(await signed(simulator, path, { method: "GET", name: "raw" }));
  expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
});

test("part 3 section 4.1: the object of a URL need not exist, and the answer tells whether it does", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  const permit = { method: "GET", name: "later" };
  expect(await simulator.ok("POST", `${path}/object-url`, permit)).toMatchObject({ exists: false });
  await put(simulator, path, "later");
  expect(await simulator.ok("POST", `${path}/object-url`, permit)).toMatchObject({ exists: true });
});

test("part 3 section 4.1: the content type must be sent as it was signed", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  const url = await signed(simulator, path, { method: "PUT", name: "a", content_type: "text/plain" });
  const send = (headers: Record<string, string>) => fetch(url, { method: "PUT", body: Buffer.from("x"), headers });
  expect((await send({ "Content-Type": "text/html" })).status).toBe(403);
  expect((await send({})).status).toBe(403);
  expect((await send({ "Content-Type": "text/plain" })).status).toBe(200);
});

test.each([
  { method: "PUT", why: "it stores the type" },
  { method: "HEAD", why: "every method but GET and DELETE" },
])("part 3 section 4.1: content_type is required for $method: $why", async ({ method }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", `${await bucket(simulator)}/object-url`, { method, name: "a" });
  expect([reply.status, reasons(reply)]).toEqual([400, [`content_type: content_type is required for ${method}`]]);
});

test.each([
  { lifetime: undefined, seconds: 3600, why: "default" },
  { lifetime: 360, seconds: 360, why: "shortest" },
  { lifetime: 86_400, seconds: 86_400, why: "longest" },
])("part 3 section 8: a URL lives $seconds seconds: $why", async ({ lifetime, seconds }) => {
  const simulator = await running();
  const path = await bucket(simulator);
  await put(simulator, path, "a");
  const url = await signed(simulator, path, { method: "GET", name: "a", expires_in: lifetime });
  await simulator.clock.advance((seconds - 1) * 1000);
  expect((await fetch(url)).status).toBe(200);
  await simulator.clock.advance(2000);
  const late = await fetch(url);
  expect([late.status, await late.text()]).toEqual([403, expect.stringContaining("Request has expired")]);
});

test.each([
  { body: { method: "GET", name: "a", expires_in: 359 }, field: "expires_in", why: "shorter than allowed" },
  { body: { method: "GET", name: "a", expires_in: 86_401 }, field: "expires_in", why: "longer than allowed" },
  { body: { name: "a" }, field: "method", why: "it is required" },
  { body: { method: "PATCH", name: "a" }, field: "method", why: "nothing takes it" },
  { body: { method: "GET" }, field: "name", why: "it is required" },
  { body: { method: "GET", name: "" }, field: "name", why: "an object has a name" },
])("a URL is refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", `${await bucket(simulator)}/object-url`, body);
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
});

test.each([
  { change: (url: string) => url.replace("/a?", "/b?"), method: "GET", why: "another object" },
  { change: (url: string) => url.replace("/media/", "/other/"), method: "GET", why: "another bucket" },
  { change: (url: string) => url, method: "DELETE", why: "another method" },
  { change: (url: string) => url.replace(/expires=\d+/, "expires=9999999999"), method: "GET", why: "a longer life" },
])("a signature is no permit for $why", async ({ change, method }) => {
  const simulator = await running();
  const path = await bucket(simulator);
  await bucket(simulator, { label: "other" });
  await put(simulator, path, "a");
  const url = await signed(simulator, path, { method: "GET", name: "a" });
  expect((await fetch(change(url), { method })).status).toBe(403);
  expect((await fetch(url)).status).toBe(200);
});

test.each([
  { acl: "private", object: 403, why: "nobody but the owner" },
  { acl: "public-read", object: 200, why: "everybody reads" },
  { acl: "authenticated-read", object: 403, why: "users, not everybody" },
  { acl: "public-read-write", object: 200, why: "everybody" },
])("an object follows a bucket that is $acl: $why", async ({ acl, object }) => {
  const simulator = await running();
  const path = await bucket(simulator, { acl });
  await put(simulator, path, "a");
  expect((await fetch(plainUrl(simulator, "a"))).status).toBe(object);
  const written = await fetch(plainUrl(simulator, "b"), { method: "PUT", body: "x" });
  expect(written.status).toBe(acl === "public-read-write" ? 200 : 403);
});

test("an object's own ACL wins over its bucket's, until the object is put again", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  await put(simulator, path, "a");
  expect(await simulator.ok("GET", `${path}/object-acl?name=a`)).toMatchObject({ acl: "private" });
  const set = await simulator.ok("PUT", `${path}/object-acl`, { name: "a", acl: "public-read" });
  expect(set).toEqual({ acl: "public-read", acl_xml: expect.stringContaining("AllUsers") });
  expect((await fetch(plainUrl(simulator, "a"))).status).toBe(200);
  await put(simulator, path, "a");
  expect((await fetch(plainUrl(simulator, "a"))).status).toBe(403);
});

test("an ACL names an object that is there", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  expect(reasons(await simulator.call("GET", `${path}/object-acl`))).toEqual(["name: name is required"]);
  expect((await simulator.call("GET", `${path}/object-acl?name=a`)).status).toBe(404);
  expect((await simulator.call("PUT", `${path}/object-acl`, { name: "a", acl: "private" })).status).toBe(404);
  expect((await simulator.call("PUT", `${MEDIA}/object-acl`, { name: "a" })).status).toBe(400);
});

test("CORS lets web pages of any origin read", async () => {
  const simulator = await running();
  await put(simulator, await bucket(simulator, { acl: "public-read", cors_enabled: true }), "a");
  expect((await fetch(plainUrl(simulator, "a"))).headers.get("access-control-allow-origin")).toBe("*");
});

test("faults and the ledger know the requests to objects, without their contents", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  simulator.control.faults.add({ kind: "status", status: 503, path: "/objects/**", times: 1 });
  expect((await put(simulator, path, "a")).status).toBe(503);
  expect((await put(simulator, path, "a", "top secret")).status).toBe(200);
  const entries = simulator.control.ledger({ method: "PUT" });
  expect(entries.map(({ status, fault, account }) => [status, fault, account])).toEqual([
    [503, "status", null],
    [200, null, "demo"],
  ]);
  expect(entries[1]).toMatchObject({ path: "/objects/us-east-1/media/a", changes: [{ table: "object" }] });
  expect(JSON.stringify(entries)).not.toContain("top secret");
});
