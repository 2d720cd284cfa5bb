import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { instanceOf, setBalance } from "../instance.ts";

const UBUNTU = { image: "compute/ubuntu24.04", root_pass: "another horse battery" };

test("part 2 section 4.5 rule 4: a rebuild deletes all disks and configs, deploys the image and boots", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const ids = (table: string) => simulator.control.rows(table).map((row) => row["id"]);
  const [disks, configs] = [ids("disk"), ids("config")];
  const answered = await simulator.ok("POST", `${instance.path}/rebuild`, UBUNTU);
  expect(answered).toMatchObject({ id: instance.id, status: "rebuilding", image: "compute/ubuntu24.04" });
  expect(ids("disk")).toHaveLength(2);
  expect([...ids("disk"), ...ids("config")].filter((id) => [...disks, ...configs].includes(id))).toEqual([]);
  await simulator.clock.advance(50_000);
  expect(await instance.status()).toBe("running");
});

test("a rebuild with booted false ends in offline", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/rebuild`, { ...UBUNTU, booted: false });
  await simulator.clock.advance(60_000);
  expect(await instance.status()).toBe("offline");
});

test("part 2 section 4.5 rule 4: user data lasts only if the rebuild sends it again", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator, { metadata: { user_data: "YQ==" } });
  const path = `${instance.path}/rebuild`;
  const kept = await simulator.ok("POST", path, { ...UBUNTU, metadata: { user_data: "Yg==" } });
  expect(kept["has_user_data"]).toBe(true);
  await simulator.clock.advance(60_000);
  expect((await simulator.ok("POST", path, UBUNTU))["has_user_data"]).toBe(false);
});

test("part 2 section 4.5 rule 4: with a type the instance also resizes, and takes longer", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/rebuild`, { ...UBUNTU, type: "g6-standard-2" });
  await simulator.clock.advance(60_000);
  expect(await instance.status()).toBe("rebuilding");
  await simulator.clock.advance(70_000);
  expect(await instance.read()).toMatchObject({ status: "running", type: "g6-standard-2", specs: { disk: 81_920 } });
  expect(simulator.control.rows("disk")[0]?.["size"]).toBe(81_920 - 512);
});

test("part 2 section 4.5 rule 4: a rebuild to a smaller type wants the disks shrunk first", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const reply = await simulator.call("POST", `${instance.path}/rebuild`, { ...UBUNTU, type: "g6-nanode-1" });
  expect(reasons(reply)).toEqual([expect.stringMatching(/^type: .*shrink or delete/)]);
});

test("part 2 section 4.5 rule 4: a rebuild with a type wants no outstanding balance; without one a negative balance is enough to refuse", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  setBalance(simulator, 1);
  const resized = await simulator.call("POST", `${instance.path}/rebuild`, { ...UBUNTU, type: "g6-standard-2" });
  expect([resized.status, reasons(resized)]).toEqual([400, ["The account has an outstanding balance"]]);
  setBalance(simulator, -1);
  const plain = await simulator.call("POST", `${instance.path}/rebuild`, UBUNTU);
  expect([plain.status, reasons(plain)]).toEqual([400, ["The account has a negative balance"]]);
});

test("part 2 section 4.5 rule 4: a pending migration refuses a rebuild", async () => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  await simulator.ok("POST", `${instance.path}/migrate`, { region: "eu-west" });
  const reply = await simulator.call("POST", `${instance.path}/rebuild`, { ...UBUNTU, type: "g6-standard-2" });
  expect(reasons(reply)).toEqual(["Compute busy."]);
});

test.each([
  { body: { image: undefined }, field: "image", why: "image is required" },
  { body: { image: "compute/none" }, field: "image", why: "no such image" },
  { body: { root_pass: undefined }, field: "root_pass", why: "root_pass is required" },
  { body: { root_pass: "short1" }, field: "root_pass", why: "below 7 characters" },
  { body: { root_pass: "x".repeat(129) }, field: "root_pass", why: "above 128 characters" },
  { body: { authorized_users: ["demo"] }, field: "authorized_users", why: "the user has no SSH key" },
  { body: { stackscript_id: 2, image: "compute/debian11" }, field: "image", why: "not compatible with the script" },
  {
    body: { metadata: { user_data: "YQ==" }, image: "compute/alpine3.20" },
    field: "metadata.user_data",
    why: "image without cloud-init",
  },
])("a rebuild refuses $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const instance = await instanceOf(simulator);
  const reply = await simulator.call("POST", `${instance.path}/rebuild`, { ...UBUNTU, ...body });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(await instance.status()).toBe("running");
});
