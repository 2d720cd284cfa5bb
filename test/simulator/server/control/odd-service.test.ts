import { expect, test } from "vitest";
import { DEBIAN, running } from "../../running.ts";
import type { Running } from "../../running.ts";

const over = (simulator: Running, method: string, path: string, body: object) =>
  simulator.call(method, `/_simulator${path}`, body, { token: simulator.controlToken });
const addKey = (simulator: Running) =>
  simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "mine" });

test("the Date header runs ahead of the time that rows tell, or behind it", async () => {
  const simulator = await running();
  const skewOf = async () => {
    const { headers } = await simulator.call("GET", "/profile");
    return Math.round((Date.parse(headers.get("date") ?? "") - simulator.control.clock.now()) / 1_000);
  };
  expect(Math.abs(await skewOf())).toBeLessThanOrEqual(1);
  expect((await over(simulator, "POST", "/clock", { dateSkewSeconds: -300 })).status).toBe(200);
  expect(Math.abs((await skewOf()) + 300)).toBeLessThanOrEqual(1);
  const { created } = await addKey(simulator);
  const age = simulator.control.clock.now() - Date.parse(`${String(created)}Z`);
  expect(Math.abs(age), "what a row says of its time stays as it is").toBeLessThanOrEqual(1_000);
});

test("an id is given again where the next one is set, but not while a row has it", async () => {
  const simulator = await running();
  const { id } = await addKey(simulator);
  expect((await over(simulator, "PUT", "/ids", { table: "sshkey", next: id })).status).toBe(400);
  await simulator.ok("DELETE", `/profile/sshkeys/${String(id)}`);
  expect((await over(simulator, "PUT", "/ids", { table: "sshkey", next: id })).status).toBe(200);
  expect(await addKey(simulator)).toMatchObject({ id });
  simulator.control.setNextId("instance", 1_500);
  expect(await simulator.ok("POST", "/compute/instances", DEBIAN)).toMatchObject({ id: 1_500 });
});

test("a user is restricted, and grants are given and withdrawn, while its token is in use", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  const look = async () => (await simulator.call("GET", `/compute/instances/${String(id)}`)).status;
  expect((await over(simulator, "POST", "/users/demo", { restricted: true })).status).toBe(200);
  expect(await look()).not.toBe(200);
  simulator.control.changeUser("demo", { grants: { entities: { compute: { [String(id)]: "read_only" } } } });
  expect(await look()).toBe(200);
  expect((await simulator.call("DELETE", `/compute/instances/${String(id)}`)).status).not.toBe(200);
  const withdrawn = { grants: { entities: {}, global: { add_computes: true } } };
  expect((await over(simulator, "POST", "/users/demo", withdrawn)).status).toBe(200);
  expect(await look()).not.toBe(200);
  expect((await over(simulator, "POST", "/users/demo", { grants: { mayor: true } })).status).toBe(400);
  expect((await over(simulator, "POST", "/users/nobody", { restricted: true })).status).toBe(400);
});

test.for<{ fault: object; text: string; type: string }>([
  { fault: { kind: "empty" }, text: "{}", type: "json" },
  { fault: { kind: "html", status: 200 }, text: "<html>", type: "html" },
])("a request is answered 200 with $text and not carried out", async ({ fault, text, type }) => {
  const simulator = await running();
  await over(simulator, "POST", "/faults", { ...fault, method: "POST", path: "/profile/sshkeys" });
  const reply = await simulator.call("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "mine" });
  expect(reply.status).toBe(200);
  expect(reply.text).toContain(text);
  expect(reply.headers.get("content-type")).toContain(type);
  expect(simulator.control.rows("sshkey")).toEqual([]);
  expect(simulator.control.ledger({ method: "POST" })).toMatchObject([{ status: 200, appliedAt: null }]);
});
