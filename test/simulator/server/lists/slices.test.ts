import { expect, test } from "vitest";
import { SLICE, atOnce, keptInSlices, sortedInSlices } from "../../../../src/simulator/server/lists/slices.ts";
import { DEBIAN, running } from "../../running.ts";

const numbers = Array.from({ length: 3 * SLICE + 7 }, (_, index) => (index * 7_919) % 10_007);

test("a sort in slices gives the order of a sort at once, and pauses after each slice", () => {
  const byLastDigit = (left: number, right: number): number => (left % 10) - (right % 10);
  const slices = sortedInSlices(numbers, byLastDigit);
  const pauses = Array.from({ length: 4 }, () => slices.next().done);
  expect(pauses).toEqual([false, false, false, false]);
  expect(atOnce(sortedInSlices(numbers, byLastDigit))).toEqual(numbers.toSorted(byLastDigit));
});

test("a sort in slices never compares more than a few slices of rows without a pause", () => {
  const many = Array.from({ length: 60 * SLICE }, (_, index) => (index * 7_919) % 10_007);
  let compared = 0;
  const slices = sortedInSlices(many, (left, right) => {
    compared += 1;
    return left - right;
  });
  const between: number[] = [];
  do {
    between.push(compared);
    compared = 0;
  } while (!slices.next().done);
  expect(Math.max(...between, compared)).toBeLessThanOrEqual(10 * SLICE);
});

test("a filter in slices keeps the rows in their order", () => {
  const even = (value: number): number | undefined => (value % 2 === 0 ? value : undefined);
  expect(atOnce(keptInSlices(numbers, even))).toEqual(numbers.filter((value) => value % 2 === 0));
});

test("a long list is answered although its rows are deleted while it is read", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "first" });
  const dump = simulator.control.snapshot();
  const own = dump.rows.find(({ table }) => table === "instance");
  if (!own) throw new Error("the instance is not in the snapshot");
  const more = Array.from({ length: 3 * SLICE }, (_, index) => ({
    ...own,
    id: String(5000 + index),
    body: { ...(own.body as object), id: 5000 + index, label: `vm-${index}` },
  }));
  simulator.control.restore({ ...dump, rows: [...dump.rows, ...more] });
  const list = simulator.call("GET", "/compute/instances", undefined, {
    headers: { "X-Filter": '{"+order_by":"label"}' },
  });
  for (let index = 0; index < 50; index += 1) await simulator.call("DELETE", `/compute/instances/${5000 + index * 7}`);
  expect((await list).status).toBe(200);
});

test("a request that arrives during a long filter is answered before the filter ends", async () => {
  const simulator = await running();
  const rows = Array.from({ length: 5 * SLICE }, (_, index) => ({ id: index + 1, label: `vm-${index}` }));
  const dump = simulator.control.snapshot();
  const [key] = [{ username: "demo", ssh_key: "ssh-ed25519 AAAA", created: 0 }];
  const keys = rows.map((row) => ({
    table: "sshkey",
    account: "demo",
    id: String(row.id),
    parent: "demo",
    insertedAt: 0,
    body: { ...key, ...row },
  }));
  simulator.control.restore({ ...dump, rows: [...dump.rows, ...keys] });
  const headers = { "X-Filter": '{"label":{"+contains":"1249"}}' };
  const ended: string[] = [];
  const long = simulator.ok("GET", "/profile/sshkeys", undefined, { headers }).then((page) => {
    ended.push("filter");
    return page["results"];
  });
  await simulator.call("GET", "/regions/us-east").then(() => ended.push("region"));
  expect(await long).toBe(1);
  expect(ended).toContain("region");
});
