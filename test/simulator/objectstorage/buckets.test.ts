import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { bucket, BUCKETS, put } from "./bucket.ts";

const MEDIA = { cluster: "us-east-1", label: "media" };

test("a bucket is made, listed everywhere, viewed and deleted", async () => {
  const simulator = await running();
  const created = await simulator.ok("POST", BUCKETS, MEDIA);
  expect(created).toEqual({
    ...MEDIA,
    region: "us-east",
    s3_endpoint: "us-east-1.objects.example.com",
    endpoint_type: "E0",
    hostname: "media.us-east-1.objects.example.com",
    created: "2026-01-01T00:00:00",
    size: 0,
    objects: 0,
  });
  await simulator.ok("POST", BUCKETS, { ...MEDIA, cluster: "eu-central-1" });
  expect((await simulator.ok("GET", BUCKETS))["results"]).toBe(2);
  expect((await simulator.ok("GET", `${BUCKETS}/us-east-1`))["data"]).toEqual([created]);
  expect(await simulator.ok("GET", `${BUCKETS}/us-east-1/media`)).toEqual(created);
  expect(await simulator.ok("DELETE", `${BUCKETS}/us-east-1/media`)).toEqual({});
  expect((await simulator.call("GET", `${BUCKETS}/us-east-1/media`)).status).toBe(404);
  expect((await simulator.call("GET", `${BUCKETS}/moon-1`)).status).toBe(404);
});

test("part 3 section 4.1: a bucket that the account has already is answered as it is", async () => {
  const simulator = await running();
  const created = await simulator.ok("POST", BUCKETS, MEDIA);
  await simulator.clock.advance(60_000);
  expect(await simulator.ok("POST", BUCKETS, { ...MEDIA, acl: "public-read", cors_enabled: true })).toEqual(created);
  expect(await simulator.ok("GET", `${BUCKETS}/us-east-1/media/access`)).toMatchObject({
    acl: "private",
    cors_enabled: false,
  });
});

test("part 3 section 7: a label that another account has in the cluster is refused", async () => {
  const simulator = await running();
  simulator.control.addAccount({ id: "other" });
  simulator.control.addUser("other", { username: "eve" });
  simulator.control.addToken({ token: "eve", account: "other", username: "eve" });
  await simulator.ok("POST", BUCKETS, MEDIA, { token: "eve" });
  expect(reasons(await simulator.call("POST", BUCKETS, MEDIA))).toEqual(["label: The label is in use in this cluster"]);
  await simulator.ok("POST", BUCKETS, { ...MEDIA, cluster: "eu-central-1" });
  expect((await simulator.call("GET", `${BUCKETS}/us-east-1/media`)).status).toBe(404);
  await simulator.ok("DELETE", `${BUCKETS}/us-east-1/media`, undefined, { token: "eve" });
  await simulator.ok("POST", BUCKETS, MEDIA);
});

test.each([
  { body: { cluster: undefined }, field: "cluster", why: "required" },
  { body: { cluster: "moon-1" }, field: "cluster", why: "no such cluster" },
  { body: { label: undefined }, field: "label", why: "required" },
  { body: { label: "Media" }, field: "label", why: "part of a host name" },
  { body: { label: "-media" }, field: "label", why: "part of a host name" },
  { body: { label: "me" }, field: "label", why: "too short" },
  { body: { acl: "custom" }, field: "acl", why: "no bucket begins with a custom ACL" },
  { body: { cors_enabled: "yes" }, field: "cors_enabled", why: "a boolean" },
])("a bucket is refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", BUCKETS, { ...MEDIA, ...body });
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
});

test("a bucket without fields is refused with both fields that it lacks", async () => {
  const simulator = await running();
  expect(reasons(await simulator.call("POST", BUCKETS, {}))).toEqual([
    "label: label is required",
    "cluster: cluster is required",
  ]);
});

test("part 3 section 4.1: an account with a negative balance creates neither buckets nor keys", async () => {
  const simulator = await running();
  simulator.control.addAccount({ id: "demo", balance: -1 });
  expect((await simulator.call("POST", BUCKETS, MEDIA)).status).toBe(400);
  expect((await simulator.call("POST", "/object-storage/keys", { label: "key" })).status).toBe(400);
});

test("part 3 section 7: a bucket is removed only when it is empty", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  await put(simulator, path, "a");
  expect(reasons(await simulator.call("DELETE", path))).toEqual(["The bucket is not empty"]);
  expect(await simulator.ok("GET", path)).toMatchObject({ objects: 1, size: 5 });
});

test("a bucket that is made anew under its old name is empty", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  await put(simulator, path, "a");
  simulator.control.remove("bucket", "us-east-1/media");
  expect(await simulator.ok("POST", BUCKETS, MEDIA)).toMatchObject({ objects: 0 });
});

test.each(["POST", "PUT"])("%s of access changes what is given and leaves the rest", async (method) => {
  const simulator = await running();
  const path = `${await bucket(simulator)}/access`;
  expect(await simulator.ok(method, path, { acl: "public-read" })).toEqual({});
  expect(await simulator.ok("GET", path)).toMatchObject({ acl: "public-read", cors_enabled: false, cors_xml: "" });
  await simulator.ok(method, path, { cors_enabled: true });
  expect(await simulator.ok("GET", path)).toEqual({
    acl: "public-read",
    acl_xml: expect.stringContaining("AllUsers"),
    cors_enabled: true,
    cors_xml: expect.stringContaining("<AllowedOrigin>*</AllowedOrigin>"),
  });
  await simulator.ok(method, path, { acl: "custom" });
  const wrong = await simulator.call(method, path, { acl: "everybody" });
  expect([wrong.status, reasons(wrong)[0]?.split(":")[0]]).toEqual([400, "acl"]);
});

test("clusters need no credentials", async () => {
  const simulator = await running();
  const anonymous = { token: null };
  expect((await simulator.ok("GET", "/object-storage/clusters", undefined, anonymous))["results"]).toBe(4);
  const cluster = await simulator.ok("GET", "/object-storage/clusters/us-east-1", undefined, anonymous);
  expect(cluster).toMatchObject({ region: "us-east", status: "available", domain: "us-east-1.objects.example.com" });
});

test("scopes: read_only lists buckets and does not make them", async () => {
  const simulator = await running();
  simulator.control.addToken({ token: "reader", username: "demo", scopes: "object_storage:read_only" });
  expect((await simulator.call("GET", BUCKETS, undefined, { token: "reader" })).status).toBe(200);
  expect((await simulator.call("POST", BUCKETS, MEDIA, { token: "reader" })).status).toBe(403);
});

test("not-shown section 1: all of object storage shares 750 requests a second", async () => {
  const simulator = await running({ rateLimits: true });
  const reply = await simulator.call("GET", BUCKETS);
  expect(reply.headers.get("x-ratelimit-limit")).toBe("750");
  expect((await simulator.call("GET", "/object-storage/keys")).headers.get("x-ratelimit-remaining")).toBe("748");
});
