import { expect, test } from "vitest";
import { DEBIAN, reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { eventsOf, instanceAt, instanceOf, setBalance } from "../instance.ts";

const create = (simulator: Running, body: object, token = simulator.token) =>
  simulator.call("POST", "/compute/instances", { ...DEBIAN, ...body }, { token });

function grant(simulator: Running, grants: object): string {
  const rest = { account_access: null, global: {}, entities: {} };
  simulator.control.change("user", "demo-restricted", { grants: { ...rest, ...grants } });
  return `${simulator.token}-restricted`;
}

test("part 2 section 4.1 rule 1: a restricted user needs the add_computes grant, and may then use what it made", async () => {
  const simulator = await running();
  expect((await create(simulator, {}, grant(simulator, {}))).status).toBe(403);
  const token = grant(simulator, { global: { add_computes: true } });
  const { status, body } = await create(simulator, {}, token);
  expect(status).toBe(200);
  await simulator.ok("PUT", `/compute/instances/${String(body["id"])}`, { label: "mine" }, { token });
});

test("part 2 section 4.1 rule 1: creation incurs a charge, so a negative balance refuses it", async () => {
  const simulator = await running();
  setBalance(simulator, -1);
  expect(reasons(await create(simulator, {}))).toEqual(["The account has a negative balance"]);
});

test("part 2 section 4.1 rule 2: an image gives a default config and two disks, one a swap disk of 512 MB unless said otherwise", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  expect(await instance.list("disks")).toMatchObject([
    { filesystem: "ext4", size: 50_688 },
    { filesystem: "swap", size: 512 },
  ]);
  expect(await instance.list("configs")).toHaveLength(1);
  const other = await instanceOf(simulator, { swap_size: 0 });
  expect(await other.list("disks")).toHaveLength(1);
});

test("part 2 section 4.1 rule 2: a private image needs read access", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const [disk] = await instance.list("disks");
  const { id: image } = await simulator.ok("POST", "/images", { disk_id: disk?.["id"] });
  await simulator.clock.advance(30_000);
  const unseen = await create(simulator, { image }, grant(simulator, { global: { add_computes: true } }));
  expect(reasons(unseen)).toEqual(["image: image is not valid"]);
  const entities = { image: { [String(image).replace("private/", "")]: "read_only" } };
  const seen = await create(simulator, { image }, grant(simulator, { global: { add_computes: true }, entities }));
  expect(seen.status).toBe(200);
});

test("part 2 section 4.1 rule 2: every name in authorized_users must have an SSH key", async () => {
  const simulator = await running();
  expect(reasons(await create(simulator, { authorized_users: ["demo"] }))[0]).toMatch(/^authorized_users: /);
  await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA" });
  expect((await create(simulator, { authorized_users: ["demo"] })).status).toBe(200);
  expect(reasons(await create(simulator, { authorized_users: ["demo", "nobody"] }))[0]).toMatch(/nobody/);
});

test("part 2 section 4.1 rule 3: user data needs an image with cloud-init and a region with Metadata", async () => {
  const simulator = await running();
  const metadata = { user_data: "I2Nsb3VkLWNvbmZpZw==" };
  expect((await create(simulator, { metadata })).body).toMatchObject({ has_user_data: true });
  expect(reasons(await create(simulator, { metadata, image: "compute/alpine3.20" }))[0]).toMatch(/cloud-init/);
  expect(reasons(await create(simulator, { metadata, region: "us-west" }))[0]).toMatch(/^region: .*Metadata/);
});

test("part 2 section 4.1 rule 4: a StackScript needs a compatible image, root_pass, and data only for fields without a default", async () => {
  const simulator = await running();
  expect((await create(simulator, { stackscript_id: 1 })).status).toBe(200);
  expect((await create(simulator, { stackscript_id: 2, stackscript_data: { hostname: "web" } })).status).toBe(200);
  expect(reasons(await create(simulator, { stackscript_id: 2 }))[0]).toMatch(/^stackscript_data: .*hostname/);
  expect(reasons(await create(simulator, { stackscript_id: 1, image: "compute/alpine3.20" }))[0]).toMatch(/^image: /);
  expect(reasons(await create(simulator, { stackscript_id: 1, root_pass: undefined }))[0]).toMatch(/^root_pass: /);
  const bare = await create(simulator, { stackscript_id: 1, image: undefined, root_pass: undefined });
  expect(reasons(bare)[0]).toMatch(/^image: /);
});

test("part 2 section 4.1 rule 4: stackscript_data is a JSON object of at most 65,535 characters", async () => {
  const simulator = await running();
  const data = (length: number) => ({ a: "x".repeat(length - '{"a":""}'.length) });
  expect((await create(simulator, { stackscript_id: 1, stackscript_data: data(65_535) })).status).toBe(200);
  const long = await create(simulator, { stackscript_id: 1, stackscript_data: data(65_536) });
  expect(reasons(long)[0]).toMatch(/^stackscript_data: /);
  expect((await create(simulator, { stackscript_data: data(65_536) })).status).toBe(400);
  expect(reasons(await create(simulator, { stackscript_id: 1, stackscript_data: "{}" }))[0]).toMatch(
    /^stackscript_data/,
  );
});

test("part 2 section 4.1 rule 6: without an image an instance is offline until it is booted, with disks and configs made by hand", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { image: undefined, root_pass: undefined });
  expect(await instance.read()).toMatchObject({ status: "offline", image: null });
  const disk = await simulator.ok("POST", `${instance.path}/disks`, { label: "root", size: 5000 });
  await simulator.ok("POST", `${instance.path}/configs`, { label: "own", devices: { sda: { disk_id: disk["id"] } } });
  await simulator.clock.advance(5_000);
  await simulator.ok("POST", `${instance.path}/boot`);
  await simulator.clock.advance(10_000);
  expect(await instance.status()).toBe("running");
});

test("part 2 section 4.1 rule 7: only unrestricted users may add or change tags", async () => {
  const simulator = await running();
  const token = grant(simulator, { global: { add_computes: true } });
  expect((await create(simulator, { tags: ["web"] }, token)).status).toBe(403);
  expect((await create(simulator, { tags: ["web"] })).body).toMatchObject({ tags: ["web"] });
  const { body } = await create(simulator, {}, token);
  const path = `/compute/instances/${String(body["id"])}`;
  expect((await simulator.call("PUT", path, { tags: ["web"] }, { token })).status).toBe(403);
  await simulator.ok("PUT", path, { tags: ["web"] });
  expect((await simulator.call("PUT", path, { tags: [] }, { token })).status).toBe(403);
  expect((await simulator.call("PUT", path, { tags: ["web"] }, { token })).status).toBe(200);
});

test("part 2 section 4.1 rule 9: a deletion is refused while the instance is restoring", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const { id } = await simulator.ok("POST", `${instance.path}/backups`, { label: "one" });
  await simulator.clock.advance(60_000);
  const body = { compute_id: instance.id, overwrite: true };
  await simulator.ok("POST", `${instance.path}/backups/${String(id)}/restore`, body);
  const reply = await simulator.call("DELETE", instance.path);
  expect([reply.status, reasons(reply)]).toEqual([400, ["The instance is restoring"]]);
});

test("part 2 section 4.1 rule 10: type and region are not changed by an update", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("PUT", instance.path, { type: "g6-standard-4", region: "eu-west" });
  expect(await instance.read()).toMatchObject({ type: "g6-standard-1", region: "us-east" });
});

test("a restricted user sees and changes only instances that it was granted", async () => {
  const simulator = await running();
  const [first, second] = [await instanceOf(simulator), await instanceOf(simulator)];
  const token = grant(simulator, { entities: { compute: { [first.id]: "read_only" } } });
  expect(await simulator.ok("GET", "/compute/instances", undefined, { token })).toMatchObject({ results: 1 });
  expect((await simulator.call("GET", second.path, undefined, { token })).status).toBe(404);
  for (const verb of ["resize", "rebuild", "migrate", "shutdown", "password", "clone"])
    expect((await simulator.call("POST", `${first.path}/${verb}`, {}, { token })).status, verb).toBe(403);
});

test("a creation tells its events: created, then booted", async () => {
  const simulator = await running();
  const { body } = await create(simulator, {});
  expect(await eventsOf(simulator)).toEqual(["compute_create scheduled"]);
  await simulator.clock.advance(30_000);
  expect(await eventsOf(simulator)).toEqual(["compute_boot finished", "compute_create finished"]);
  expect(await instanceAt(simulator, Number(body["id"])).status()).toBe("running");
});
