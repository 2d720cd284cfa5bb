import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { RULES } from "./firewalls/firewall-bodies.ts";

test("networking and tags speak the brand word in bodies, answers, fields and events", async () => {
  const simulator = await running({ brandWord: "acme" });
  const create = { region: "us-east", type: "g6-nanode-1" };
  const { id } = await simulator.ok("POST", "/acme/instances", create);
  const { id: second } = await simulator.ok("POST", "/acme/instances", create);
  const wrong = { label: "edge", rules: RULES, devices: { acmes: [999] } };
  expect(reasons(await simulator.call("POST", "/networking/firewalls", wrong))[0]).toMatch(/^devices\.acmes: /);
  const edge = await simulator.ok("POST", "/networking/firewalls", { ...wrong, devices: { acmes: [id] } });
  const devices = `/networking/firewalls/${String(edge["id"])}/devices`;
  await simulator.ok("POST", devices, { id: second, type: "acme" });
  expect((await simulator.ok("GET", devices))["data"]).toMatchObject([
    { entity: { id, type: "acme", url: `/v4/acme/instances/${String(id)}` } },
    { entity: { id: second, type: "acme" } },
  ]);
  const allocated = await simulator.ok("POST", "/networking/ips", { type: "ipv4", public: true, acme_id: id });
  expect(allocated["acme_id"]).toBe(id);
  const assignments = [{ address: allocated["address"], acme_id: 999 }];
  const refusal = await simulator.call("POST", "/networking/ips/assign", { region: "us-east", assignments });
  expect(reasons(refusal)[0]).toBe("Invalid Acme ID 999");
  const created = await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 64, acme_id: id });
  const range = String(created["range"]).replace("/64", "");
  expect((await simulator.ok("GET", `/networking/ipv6/ranges/${range}`))["acmes"]).toEqual([id]);
  await simulator.ok("POST", "/tags", { label: "acme", acmes: [id] });
  expect((await simulator.ok("GET", "/tags/acme"))["data"]).toMatchObject([{ type: "acme", data: { id } }]);
  const headers = { "X-Filter": '{"action":"acme_addip"}' };
  expect((await simulator.ok("GET", "/account/events", undefined, { headers }))["results"]).toBe(1);
});
