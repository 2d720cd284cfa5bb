import { expect, test } from "vitest";
import { SLICE, atOnce, keptInSlices, sortedInSlices } from "../../../../src/simulator/server/lists/slices.ts";
import { running } from "../../running.ts";

const numbers = Array.from({ length: 3 * SLICE + 7 }, (_, index) => (index * 7_919) % 10_007);

test("a sort in slices gives the order of a sort at once, and pauses after each slice", () => {
  const byLastDigit = (left: number, right: number): number => (left % 10) - (right % 10);
  const slices = sortedInSlices(numbers, byLastDigit);
  const pauses = Array.from({ length: 4 }, () => slices.next().done);
  expect(pauses).toEqual([false, false, false, false]);
  expect(atOnce(sortedInSlices(numbers, byLastDigit))).toEqual(numbers.toSorted(byLastDigit));
});

test("a filter in slices keeps the rows in their order", () => {
  const even = (value: number): number | undefined => (value % 2 === 0 ? value : undefined);
  expect(atOnce(keptInSlices(numbers, even))).toEqual(numbers.filter((value) => value % 2 === 0));
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
