import { expect, test } from "vitest";
import { parseFilter } from "../../../../src/simulator/server/lists/filter.ts";
import { reasons, running } from "../../running.ts";

const rows = [
  { id: 1, label: "alpha", tags: ["web", "eu"], entity: { id: 7, type: "compute" }, size: 10 },
  { id: 2, label: "Beta", tags: [], entity: { id: 8, type: "domain" }, size: 30 },
  { id: 3, label: "gamma", tags: ["web"], entity: { id: 7, type: "compute" }, size: 20 },
];
const filterable = ["id", "label", "tags", "size", "entity.id", "entity.type"];

test.each([
  { filter: { label: "alpha" }, ids: [1], why: "a plain key is equality" },
  { filter: { tags: "web" }, ids: [1, 3], why: "equality on a list is membership" },
  { filter: { size: { "+gt": 10, "+lt": 30 } }, ids: [3], why: "several operators hold together" },
  { filter: { size: { "+gte": 20 } }, ids: [2, 3], why: "+gte includes its bound" },
  { filter: { id: { "+neq": 2 } }, ids: [1, 3], why: "+neq leaves one out" },
  { filter: { tags: { "+neq": "web" } }, ids: [2], why: "+neq on a list: no item is that" },
  { filter: { label: { "+contains": "BET" } }, ids: [2], why: "+contains does not mind case" },
  { filter: { "+or": [{ id: 1 }, { id: 2 }] }, ids: [1, 2], why: "+or of filters" },
  { filter: { "+and": [{ tags: "web" }, { "+or": [{ id: 2 }, { id: 3 }] }] }, ids: [3], why: "filters nest" },
  { filter: { "entity.id": 7, "entity.type": "compute" }, ids: [1, 3], why: "a dotted key looks inside" },
  { filter: { entity: { id: 8 } }, ids: [2], why: "a nested object is the same as a dotted key" },
  { filter: { label: "none" }, ids: [], why: "nothing matches" },
])("X-Filter: $why", ({ filter, ids }) => {
  const { matches } = parseFilter(filter, filterable);
  expect(rows.filter((row) => matches(row)).map((row) => row.id)).toEqual(ids);
});

test.each([
  { filter: { colour: "red" }, why: "an unknown field" },
  { filter: { "entity.colour": "red" }, why: "an unknown nested field" },
  { filter: { size: { "+like": 1 } }, why: "an unknown operator" },
  { filter: { "+xor": [] }, why: "an unknown combination" },
  { filter: { "+or": { id: 1 } }, why: "a combination that is no list" },
  { filter: { "+order_by": "colour" }, why: "an order by an unknown field" },
  { filter: { "+order_by": "id", "+order": "up" }, why: "an unknown order" },
  { filter: [], why: "not an object" },
])("X-Filter refuses $why", ({ filter }) => {
  expect(() => parseFilter(filter, filterable)).toThrow(expect.objectContaining({ status: 400 }));
});

test("X-Filter orders both ways", () => {
  const ordered = (filter: unknown): number[] => {
    const { compare } = parseFilter(filter, filterable);
    return rows.toSorted(compare).map((row) => row.id);
  };
  expect(ordered({ "+order_by": "size" })).toEqual([1, 3, 2]);
  expect(ordered({ "+order_by": "size", "+order": "desc" })).toEqual([2, 3, 1]);
});

test("a list comes in pages whose bounds are checked", async () => {
  const simulator = await running();
  for (let number = 1; number <= 60; number += 1)
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: `key-${number}` });
  const second = await simulator.ok("GET", "/profile/sshkeys?page=2&page_size=25");
  expect(second).toMatchObject({ page: 2, pages: 3, results: 60 });
  expect((second["data"] as { label: string }[]).map((key) => key.label)).toEqual(
    Array.from({ length: 25 }, (_, index) => `key-${index + 26}`),
  );
  expect((await simulator.ok("GET", "/profile/sshkeys?page=9&page_size=25"))["data"]).toEqual([]);
  for (const query of ["page_size=24", "page_size=501", "page_size=x", "page=0", "page=1.5"])
    expect((await simulator.call("GET", `/profile/sshkeys?${query}`)).status, query).toBe(400);
});

test("paging parameters are ignored where nothing is paged", async () => {
  const simulator = await running();
  expect((await simulator.call("GET", "/profile?page=0&page_size=3")).status).toBe(200);
  expect((await simulator.call("GET", "/regions/us-east/availability?page_size=3")).status).toBe(200);
});

test("twenty pages of 500 are all of a list of 10,000 rows", { timeout: 30_000 }, async () => {
  const simulator = await running();
  const dump = simulator.control.snapshot();
  for (let id = 1; id <= 10_000; id += 1) {
    const body = { id, username: "demo", label: `key-${id}`, ssh_key: "ssh-rsa AAAA", created: 0 };
    dump.rows.push({ table: "sshkey", account: "demo", id: String(id), parent: "demo", insertedAt: 0, body });
  }
  simulator.control.restore(dump);
  const seen = new Set<number>();
  for (let page = 1; page <= 20; page += 1) {
    const { data } = await simulator.ok("GET", `/profile/sshkeys?page=${page}&page_size=500`);
    for (const key of data as { id: number }[]) seen.add(key.id);
  }
  expect(seen.size).toBe(10_000);
});

test("malformed JSON in X-Filter is a 400 that names the header", async () => {
  const simulator = await running();
  const reply = await simulator.call("GET", "/compute/instances", undefined, { headers: { "X-Filter": "{" } });
  expect(reasons(reply)).toEqual(["X-Filter: Must be valid JSON"]);
});
