import { expect, test } from "vitest";
import { master } from "../domains/domain-bodies.ts";
import { firewall, instance } from "../networking/firewalls/firewall-bodies.ts";
import { reasons, running } from "../running.ts";
import type { Running } from "../running.ts";

const idOf = (path: string) => Number(path.split("/").at(-1));

async function labels(simulator: Running): Promise<string[]> {
  return ((await simulator.ok("GET", "/tags"))["data"] as { label: string }[]).map((tag) => tag.label);
}

/** Puts a volume and a NodeBalancer into the account, which no operation makes. */
function addAttachments(simulator: Running): void {
  const dump = simulator.control.snapshot();
  const common = { account: "demo", parent: null, insertedAt: 0 };
  const fields = { id: 7, label: "seven", region: "us-east", tags: [], created: 0, updated: 0 };
  const volume = {
    ...fields,
    size: 20,
    status: "active",
    hardware_type: "nvme",
    filesystem_path: "/dev/a",
    compute_id: null,
  };
  const balancer = {
    ...fields,
    client_conn_throttle: 0,
    hostname: "nb.example.com",
    ipv4: "192.0.2.7",
    ipv6: null,
    transfer: {},
    computes: [],
  };
  simulator.control.restore({
    ...dump,
    rows: [
      ...dump.rows,
      { ...common, table: "volume", id: "7", body: volume },
      { ...common, table: "nodebalancer", id: "7", body: balancer },
    ],
  });
}

test("a new tag is put on objects of all kinds, and lists them mixed", async () => {
  const simulator = await running();
  const compute = await instance(simulator);
  const domain = idOf(await master(simulator));
  addAttachments(simulator);
  const body = { label: "shop", computes: [compute], domains: [domain], volumes: [7], nodebalancers: [7] };
  expect(await simulator.ok("POST", "/tags", body)).toEqual({ label: "shop" });
  const tagged = await simulator.ok("GET", "/tags/shop");
  expect(tagged).toMatchObject({ page: 1, pages: 1, results: 4 });
  expect(tagged["data"]).toEqual([
    { type: "compute", data: await simulator.ok("GET", `/compute/instances/${compute}`) },
    { type: "domain", data: await simulator.ok("GET", `/domains/${domain}`) },
    { type: "nodebalancer", data: expect.objectContaining({ id: 7, tags: ["shop"] }) },
    { type: "volume", data: expect.objectContaining({ id: 7, size: 20, status: "active", tags: ["shop"] }) },
  ]);
});

test("tagged objects come in pages", async () => {
  const simulator = await running();
  for (let number = 0; number < 26; number += 1) await master(simulator, `d${number}.example.org`);
  const { data } = await simulator.ok("GET", "/domains");
  const domains = (data as { id: number }[]).map((row) => row.id);
  await simulator.ok("POST", "/tags", { label: "many", domains });
  const second = await simulator.ok("GET", "/tags/many?page=2&page_size=25");
  expect([second["results"], second["pages"], (second["data"] as unknown[]).length]).toEqual([26, 2, 1]);
});

test.each([
  { body: {}, field: "label", why: "label is required" },
  { body: { label: "ab" }, field: "label", why: "a label has 3..50 characters" },
  { body: { label: "a".repeat(51) }, field: "label", why: "a label has 3..50 characters" },
  { body: { label: "tag", computes: [999] }, field: "computes.0", why: "no such instance" },
  { body: { label: "tag", domains: [999] }, field: "domains.0", why: "no such domain" },
  { body: { label: "tag", volumes: [999] }, field: "volumes.0", why: "no such volume" },
  { body: { label: "tag", nodebalancers: ["7"] }, field: "nodebalancers.0", why: "not an integer" },
])("tag create refuses $field and makes nothing: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/tags", body);
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, field]);
  expect(await labels(simulator)).toEqual([]);
});

test("a failed creation leaves the objects named before without the tag", async () => {
  const simulator = await running();
  const compute = await instance(simulator);
  await simulator.call("POST", "/tags", { label: "tag", computes: [compute, 999] });
  expect((await simulator.ok("GET", `/compute/instances/${compute}`))["tags"]).toEqual([]);
});

test("creating a tag again puts it on further objects", async () => {
  const simulator = await running();
  const [one, two] = [await instance(simulator), await instance(simulator)];
  await simulator.ok("POST", "/tags", { label: "tag", computes: [one] });
  await simulator.ok("POST", "/tags", { label: "tag", computes: [one, two] });
  expect((await simulator.ok("GET", "/tags/tag"))["results"]).toBe(2);
  expect(await labels(simulator)).toEqual(["tag"]);
});

test("tags on instances, domains and firewalls keep the list of tags up to date", async () => {
  const simulator = await running();
  const compute = await instance(simulator);
  await simulator.ok("PUT", `/compute/instances/${compute}`, { tags: ["one", "both"] });
  await simulator.ok("PUT", await master(simulator), { tags: ["two", "both"] });
  await simulator.ok("PUT", await firewall(simulator, "edge"), { tags: ["three"] });
  expect(await labels(simulator)).toEqual(["one", "both", "two", "three"]);
  expect((await simulator.ok("GET", "/tags/both"))["results"]).toBe(2);
  expect((await simulator.ok("GET", "/tags/three"))["results"]).toBe(0);
});

test("a tag that was set behind our back is listed, too", async () => {
  const simulator = await running();
  const compute = await instance(simulator);
  simulator.control.change("instance", compute, { tags: ["hidden"] });
  expect(await labels(simulator)).toEqual(["hidden"]);
  expect((await simulator.ok("GET", "/tags/hidden"))["results"]).toBe(1);
});

test("deleting a tag takes it off all objects", async () => {
  const simulator = await running();
  const compute = await instance(simulator);
  const domain = await master(simulator);
  const edge = await firewall(simulator, "edge");
  for (const path of [`/compute/instances/${compute}`, domain, edge])
    await simulator.ok("PUT", path, { tags: ["gone", "stays"] });
  expect(await simulator.ok("DELETE", "/tags/gone")).toEqual({});
  expect((await simulator.call("GET", "/tags/gone")).status).toBe(404);
  expect((await simulator.call("DELETE", "/tags/gone")).status).toBe(404);
  expect(await labels(simulator)).toEqual(["stays"]);
  for (const path of [`/compute/instances/${compute}`, domain, edge])
    expect((await simulator.ok("GET", path))["tags"], path).toEqual(["stays"]);
});

test("a tag without objects stays until it is deleted", async () => {
  const simulator = await running();
  const domain = await master(simulator);
  await simulator.ok("PUT", domain, { tags: ["lonely"] });
  await simulator.ok("DELETE", domain);
  expect(await simulator.ok("GET", "/tags/lonely")).toMatchObject({ data: [], results: 0 });
});

test("a label with spaces and slashes is found in the path", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/tags", { label: "a b/c" });
  expect((await simulator.call("GET", `/tags/${encodeURIComponent("a b/c")}`)).status).toBe(200);
});

test("part 1 section 5 rule 5: tags are for unrestricted users only", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/tags", { label: "tag" });
  const grants = { account_access: "read_write", global: {}, entities: {} };
  simulator.control.change("user", "demo-restricted", { grants });
  const status = async (method: string, path: string, body?: unknown) =>
    (await simulator.call(method, path, body, { token: "demo-token-restricted" })).status;
  expect(await status("GET", "/tags")).toBe(403);
  expect(await status("POST", "/tags", { label: "new" })).toBe(403);
  expect(await status("GET", "/tags/tag")).toBe(403);
  expect(await status("DELETE", "/tags/tag")).toBe(403);
});

test.each([
  { method: "GET", path: "/tags", scopes: "account:read_only", status: 200 },
  { method: "GET", path: "/tags/tag", scopes: "account:read_only", status: 200 },
  { method: "GET", path: "/tags", scopes: "domains:read_write", status: 403 },
  { method: "DELETE", path: "/tags/tag", scopes: "account:read_only", status: 403 },
  { method: "DELETE", path: "/tags/tag", scopes: "account:read_write", status: 200 },
])("tag scopes: $method $path with $scopes is $status", async ({ method, path, scopes, status }) => {
  const simulator = await running();
  await simulator.ok("POST", "/tags", { label: "tag" });
  simulator.control.addToken({ token: "scoped", username: "demo", scopes });
  expect((await simulator.call(method, path, undefined, { token: "scoped" })).status).toBe(status);
});

test("tags of one account are not those of another", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/tags", { label: "ours" });
  simulator.control.addAccount({ id: "other" });
  simulator.control.addUser("other", { username: "other" });
  simulator.control.addToken({ token: "other", username: "other", account: "other" });
  expect((await simulator.ok("GET", "/tags", undefined, { token: "other" }))["results"]).toBe(0);
  expect((await simulator.call("GET", "/tags/ours", undefined, { token: "other" })).status).toBe(404);
});
