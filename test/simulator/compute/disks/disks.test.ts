import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { eventsOf, instanceOf } from "../instance.ts";
import type { Instance } from "../instance.ts";

const EMPTY = { image: undefined, root_pass: undefined };
const FROM_IMAGE = { image: "compute/debian12", root_pass: "correct horse battery", size: 5000 };

async function diskOf(simulator: Running, instance: Instance, body: object = { label: "data", size: 1000 }) {
  const { id } = await simulator.ok("POST", `${instance.path}/disks`, body);
  await simulator.clock.advance(20_000);
  return `${instance.path}/disks/${String(id)}`;
}

test("an empty disk needs a label and a size, and is ext4 unless said otherwise", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  const created = await simulator.ok("POST", `${instance.path}/disks`, { label: "data", size: 1000 });
  expect(created).toEqual({
    id: created["id"],
    label: "data",
    size: 1000,
    filesystem: "ext4",
    status: "not ready",
    created: "2026-01-01T00:01:00",
    updated: "2026-01-01T00:01:00",
    disk_encryption: "enabled",
  });
  await simulator.clock.advance(5_000);
  expect(await instance.list("disks")).toMatchObject([{ id: created["id"], status: "ready" }]);
});

test("a disk from an image has the image's label and file system unless given", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  expect(await simulator.ok("POST", `${instance.path}/disks`, FROM_IMAGE)).toMatchObject({
    label: "Debian 12 Disk",
    filesystem: "ext4",
  });
  await simulator.clock.advance(20_000);
  const raw = await simulator.ok("POST", `${instance.path}/disks`, { ...FROM_IMAGE, filesystem: "raw", label: "r" });
  expect(raw).toMatchObject({ label: "r", filesystem: "raw" });
});

test.each([
  { body: { label: "data" }, field: "size", why: "no size" },
  { body: { label: "data", size: 0 }, field: "size", why: "size below 1" },
  { body: { label: "data", size: 51_201 }, field: "size", why: "more than the type has left" },
  { body: { size: 100 }, field: "label", why: "neither label nor image" },
  { body: { label: "", size: 100 }, field: "label", why: "below 1 character" },
  { body: { label: "x".repeat(49), size: 100 }, field: "label", why: "above 48 characters" },
  { body: { label: "data", size: 100, filesystem: "xfs" }, field: "filesystem", why: "not of the enumeration" },
  { body: { ...FROM_IMAGE, root_pass: undefined }, field: "root_pass", why: "needed with an image" },
  { body: { ...FROM_IMAGE, size: 1000 }, field: "size", why: "too small for the image" },
  { body: { ...FROM_IMAGE, authorized_users: ["demo"] }, field: "authorized_users", why: "the user has no SSH key" },
  { body: { label: "data", size: 100, stackscript_id: 1 }, field: "image", why: "a StackScript needs an image" },
  {
    body: { ...FROM_IMAGE, image: "compute/debian11", stackscript_id: 1 },
    field: "image",
    why: "a StackScript needs a compatible image",
  },
])("create refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  const reply = await simulator.call("POST", `${instance.path}/disks`, body);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(await instance.list("disks")).toEqual([]);
});

test("a disk is viewed, renamed and deleted, and its config slot becomes empty", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  const path = await diskOf(simulator, instance);
  const id = Number(path.split("/").at(-1));
  await simulator.ok("POST", `${instance.path}/configs`, { label: "own", devices: { sdb: { disk_id: id } } });
  expect(await simulator.ok("PUT", path, { label: "other" })).toMatchObject({ label: "other", filesystem: "ext4" });
  expect(await simulator.ok("GET", path)).toMatchObject({ label: "other" });
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "deleting" });
  await simulator.clock.advance(3_000);
  expect((await simulator.call("GET", path)).status).toBe(404);
  expect(await instance.list("configs")).toMatchObject([{ devices: { sdb: null } }]);
  expect(await eventsOf(simulator)).toEqual(expect.arrayContaining(["disk_create finished", "disk_delete finished"]));
});

test("while a disk is worked on, the instance is busy, also for another disk", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  await simulator.ok("POST", `${instance.path}/disks`, { label: "one", size: 100 });
  const second = await simulator.call("POST", `${instance.path}/disks`, { label: "two", size: 100 });
  expect(reasons(second)).toEqual(["Compute busy."]);
  const busy = await simulator.call("POST", `${instance.path}/resize`, { type: "g6-standard-2" });
  expect(reasons(busy)).toEqual(["Compute busy."]);
  await simulator.ok("DELETE", instance.path);
});

test("a disk resize wants the instance off, or the disk not in the active config", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { type: "g6-standard-1" });
  const [main, swap] = await instance.list("disks");
  const path = (id: unknown) => `${instance.path}/disks/${String(id)}/resize`;
  const inUse = await simulator.call("POST", path(main?.["id"]), { size: 20_000 });
  expect(reasons(inUse)).toEqual([expect.stringMatching(/must be off/)]);
  await simulator.ok("POST", `${instance.path}/shutdown`);
  await simulator.clock.advance(8_000);
  await simulator.ok("POST", path(main?.["id"]), { size: 20_000 });
  await simulator.clock.advance(20_000);
  expect(await instance.list("disks")).toMatchObject([{ size: 20_000, status: "ready" }, { size: 512 }]);
  expect(reasons(await simulator.call("POST", path(main?.["id"]), { size: 100 }))[0]).toMatch(/^size: .*holds/);
  expect(reasons(await simulator.call("POST", path(swap?.["id"]), { size: 51_200 }))[0]).toMatch(/^size: .*left/);
  expect(reasons(await simulator.call("POST", path(swap?.["id"]), {}))).toEqual(["size: size is required"]);
});

test("a disk that is not in the active config is resized while the instance runs", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/resize`, { type: "g6-standard-2", allow_auto_disk_resize: false });
  await simulator.clock.advance(120_000);
  const path = await diskOf(simulator, instance);
  await simulator.ok("POST", `${path}/resize`, { size: 2000 });
  await simulator.clock.advance(20_000);
  expect(await simulator.ok("GET", path)).toMatchObject({ size: 2000, status: "ready" });
  expect(await instance.status()).toBe("running");
});

test("a disk password wants the instance off and a strong password", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const [main] = await instance.list("disks");
  const path = `${instance.path}/disks/${String(main?.["id"])}/password`;
  const body = { password: "Sup3r-secret" };
  expect(reasons(await simulator.call("POST", path, body))).toEqual(["The instance must be off"]);
  await simulator.ok("POST", `${instance.path}/shutdown`);
  await simulator.clock.advance(8_000);
  expect(reasons(await simulator.call("POST", path, { password: "password" }))).toEqual([
    "password: Password does not meet strength requirement",
  ]);
  await simulator.ok("POST", path, body);
  await simulator.clock.advance(5_000);
  expect(simulator.control.rows("disk")[0]).toMatchObject({ root_pass: "Sup3r-secret", status: "ready" });
});

test("a disk clone needs room and is ready a little later", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, EMPTY);
  const path = await diskOf(simulator, instance, { label: "data", size: 20_000, filesystem: "ext3" });
  const copy = await simulator.ok("POST", `${path}/clone`);
  expect(copy).toMatchObject({ label: "Copy of data", size: 20_000, filesystem: "ext3", status: "not ready" });
  await simulator.clock.advance(20_000);
  expect(await instance.list("disks")).toMatchObject([{ status: "ready" }, { status: "ready" }]);
  expect(reasons(await simulator.call("POST", `${path}/clone`))[0]).toMatch(/^size: /);
});
