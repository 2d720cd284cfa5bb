import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { eventsOf, instanceOf } from "../compute/instance.ts";
import { reasons, running } from "../running.ts";
import type { Running } from "../running.ts";

const UPLOAD = { label: "own", region: "us-east", description: "made here" };
const RAW = Buffer.alloc(3 * 1024 * 1024);

async function uploadTarget(simulator: Running): Promise<{ path: string; url: string }> {
  const { image, upload_to } = await simulator.ok("POST", "/images/upload", UPLOAD);
  return { path: `/images/${String((image as Record<string, unknown>)["id"])}`, url: String(upload_to) };
}

const put = (url: string, body: Buffer, type = "application/octet-stream") =>
  fetch(url, { method: "PUT", body: new Uint8Array(body), headers: { "Content-Type": type } });

test("an image of a disk is creating, then available, and can be deployed", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const [disk] = await instance.list("disks");
  const image = await simulator.ok("POST", "/images", { disk_id: disk?.["id"] });
  expect(image).toMatchObject({
    id: expect.stringMatching(/^private\/\d+$/) as string,
    label: "Debian 12 Disk",
    description: "",
    created_by: "demo",
    is_public: false,
    type: "manual",
    status: "creating",
    size: 1500,
    capabilities: ["cloud-init"],
  });
  const body = { region: "eu-west", type: "g6-nanode-1", image: image["id"], root_pass: "correct horse battery" };
  expect(reasons(await simulator.call("POST", "/compute/instances", body))).toEqual([
    expect.stringMatching(/^image: /),
  ]);
  await simulator.clock.advance(30_000);
  expect(await simulator.ok("GET", `/images/${String(image["id"])}`)).toMatchObject({ status: "available" });
  await simulator.ok("POST", "/compute/instances", body);
  expect(await eventsOf(simulator)).toContain("disk_imagize finished");
});

test("an image of a disk takes the label and description that are given", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const [disk] = await instance.list("disks");
  const body = { disk_id: disk?.["id"], label: "golden", description: "for web servers" };
  expect(await simulator.ok("POST", "/images", body)).toMatchObject({
    label: "golden",
    description: "for web servers",
  });
});

test.each([
  { body: {}, reason: "disk_id: disk_id is required" },
  { body: { disk_id: 1 }, reason: "disk_id: disk_id is not valid" },
  { body: { disk_id: 1, label: "" }, reason: /^label: / },
  { body: { disk_id: 1, description: "x".repeat(65_001) }, reason: /^description: / },
])("an image of a disk is refused: $reason", async ({ body, reason }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/images", body);
  expect(reply.status).toBe(400);
  expect(reasons(reply)[0]).toMatch(reason);
});

test("an upload is pending until its data has come, and can then be used in any region", async () => {
  const simulator = await running();
  const { path, url } = await uploadTarget(simulator);
  expect(await simulator.ok("GET", path)).toMatchObject({ label: "own", status: "pending_upload", size: 0 });
  const reply = await put(url, gzipSync(RAW));
  expect([reply.status, await reply.json()]).toEqual([200, {}]);
  const change = { change: "update", table: "image", id: path.replace("/images/", "") };
  expect(simulator.control.ledger({ method: "PUT" })).toMatchObject([
    { status: 200, account: "demo", changes: [change] },
  ]);
  await simulator.clock.advance(30_000);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "available", size: 3, description: "made here" });
  const image = path.replace("/images/", "");
  await simulator.ok("POST", "/compute/instances", {
    region: "ap-south",
    type: "g6-nanode-1",
    image,
    root_pass: "Sup3r-secret",
  });
  await simulator.clock.advance(25 * 3_600_000);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "available" });
});

test.each([
  { body: { region: "us-east" }, field: "label", why: "label is required" },
  { body: { label: "own" }, field: "region", why: "region is required" },
  { body: { label: "own", region: "moon" }, field: "region", why: "no such region" },
])("an upload refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/images/upload", body);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
});

test("data that is not gzip-compressed is refused, and may be sent again", async () => {
  const simulator = await running();
  const { path, url } = await uploadTarget(simulator);
  expect((await put(url, Buffer.from("plain"))).status).toBe(400);
  expect((await put(url, gzipSync(RAW).subarray(0, 20))).status).toBe(400);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "pending_upload" });
  expect((await put(url, gzipSync(RAW))).status).toBe(200);
  expect((await put(url, gzipSync(RAW))).status).toBe(404);
});

test("an upload URL wants its content type and its signature, and no other image", async () => {
  const simulator = await running();
  const { url } = await uploadTarget(simulator);
  const data = gzipSync(RAW);
  expect((await put(url, data, "application/gzip")).status).toBe(403);
  expect((await put(url.replace(/signature=./, "signature=_"), data)).status).toBe(403);
  expect((await put(url.replace(/images\/\d+/, "images/15999"), data)).status).toBe(403);
  expect((await put(url, data)).status).toBe(200);
});

test("more than 5 GB is refused by its length, before it is sent", async () => {
  const simulator = await running();
  const { url } = await uploadTarget(simulator);
  const headers = { "Content-Type": "application/octet-stream", "Content-Length": 5 * 1024 ** 3 + 1 };
  const status = await new Promise((resolve, reject) => {
    const sending = request(url, { method: "PUT", headers }, (reply) => {
      resolve(reply.statusCode);
      sending.destroy();
    });
    sending.on("error", reject);
    sending.flushHeaders();
  });
  expect(status).toBe(400);
});

test("an upload that has not come within 24 hours is cancelled and its image deleted", async () => {
  const simulator = await running({ timeScale: 1000 });
  const { path, url } = await uploadTarget(simulator);
  await simulator.clock.advance(24 * 3_600_000 - 1000);
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "pending_upload" });
  await simulator.clock.advance(2000);
  expect((await simulator.call("GET", path)).status).toBe(404);
  expect((await put(url, gzipSync(RAW))).status).toBe(403);
  expect(await eventsOf(simulator)).toContain("image_delete notification");
});

test("an image is changed and deleted", async () => {
  const simulator = await running();
  const { path } = await uploadTarget(simulator);
  expect(await simulator.ok("PUT", path, { label: "other" })).toMatchObject({
    label: "other",
    description: "made here",
  });
  expect(await simulator.ok("PUT", path, { description: null })).toMatchObject({ label: "other", description: null });
  expect((await simulator.call("PUT", path, { description: "" })).status).toBe(400);
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect((await simulator.call("GET", path)).status).toBe(404);
});

test("a public image is not changed or deleted", async () => {
  const simulator = await running();
  expect((await simulator.call("PUT", "/images/compute/debian12", { label: "mine" })).status).toBe(403);
  expect((await simulator.call("DELETE", "/images/compute/debian12")).status).toBe(403);
});

test("a restricted user needs add_images to make an image and grants to see and change private ones", async () => {
  const simulator = await running();
  const { path } = await uploadTarget(simulator);
  const token = `${simulator.token}-restricted`;
  const grant = (grants: object) =>
    simulator.control.change("user", "demo-restricted", {
      grants: { account_access: null, global: {}, entities: {}, ...grants },
    });
  expect((await simulator.call("GET", path, undefined, { token })).status).toBe(404);
  expect((await simulator.call("POST", "/images/upload", UPLOAD, { token })).status).toBe(403);
  grant({ entities: { image: { [path.split("/").at(-1) ?? ""]: "read_only" } } });
  expect((await simulator.call("GET", path, undefined, { token })).status).toBe(200);
  expect((await simulator.call("DELETE", path, undefined, { token })).status).toBe(403);
  grant({ global: { add_images: true } });
  const { image } = await simulator.ok("POST", "/images/upload", UPLOAD, { token });
  await simulator.ok("DELETE", `/images/${(image as { id: string }).id}`, undefined, { token });
});

test("without credentials the list holds public images only", async () => {
  const simulator = await running();
  await uploadTarget(simulator);
  const { data } = await simulator.ok("GET", "/images", undefined, { token: null });
  expect((data as { is_public: boolean }[]).every((image) => image.is_public)).toBe(true);
});

test("an image of a disk wants the scope to read instances, too", async () => {
  const simulator = await running();
  simulator.control.addToken({ token: "images-only", username: "demo", scopes: "images:read_write" });
  const reply = await simulator.call("POST", "/images", { disk_id: 1 }, { token: "images-only" });
  expect(reply.status).toBe(403);
});
