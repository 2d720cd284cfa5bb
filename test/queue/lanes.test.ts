import { expect, test } from "vitest";
import { createQueue } from "../../src/queue/queue.ts";
import type { Outcome, Place } from "../../src/queue/types.ts";
import { createMovedClock } from "../support/clock.ts";

/**
 * Creates a queue with keys such as `tenant:lane/1`. A key without `tenant:` is a tenant with one lane. A handler of a
 * lane `slow` ends when the test says so, others end at once.
 */
function arrange({ workers = 100, workersPerLane = 2 } = {}) {
  const clock = createMovedClock();
  const handled: string[] = [];
  const slow: (() => void)[] = [];
  const queue = createQueue({
    clock,
    workers,
    workersPerLane,
    laneOf: placeOf,
    random: () => 0,
    handle(key) {
      handled.push(key);
      if (placeOf(key).lane !== "slow") return Promise.resolve<Outcome>({ type: "done" });
      return new Promise((resolve) => slow.push(() => resolve({ type: "done" })));
    },
  });
  return { clock, queue, handled, slow };
}

function placeOf(key: string): Place {
  const [name = ""] = key.split("/");
  const [tenant = "", lane = tenant] = name.split(":");
  return { tenant, lane };
}

test("60 slow changes of one tenant hold up nobody else's first object", async () => {
  const { clock, queue, handled, slow } = arrange();
  queue.start();
  for (let index = 0; index < 60; index += 1) queue.add(`slow/${index}`, { urgency: "user" });
  await clock.advance(0);
  expect(handled).toEqual(["slow/0", "slow/1"]);
  queue.add("other/1", { urgency: "user" });
  queue.add("third/1");
  await clock.advance(0);
  expect(handled.slice(2).sort()).toEqual(["other/1", "third/1"]);
  expect(queue.depth()).toEqual({ ready: 58, delayed: 0, active: 2 });
  slow[0]?.();
  await clock.advance(0);
  expect(handled.at(-1)).toBe("slow/2");
});

test("lanes take turns, so that a short one does not wait for a long one", async () => {
  const { clock, queue, handled } = arrange({ workers: 1 });
  for (let index = 0; index < 50; index += 1) queue.add(`long/${index}`);
  queue.add("short/0");
  queue.add("short/1");
  queue.start();
  await clock.advance(0);
  expect(handled.indexOf("short/1")).toBeLessThan(5);
  expect(handled).toHaveLength(52);
});

test("what somebody waits for goes before the rest of all lanes, and starves none of them", async () => {
  const { clock, queue, handled } = arrange({ workers: 1 });
  for (const lane of ["a", "b", "c"]) queue.add(`${lane}/resync`);
  for (let index = 0; index < 3_000; index += 1) queue.add(`busy/${index}`, { urgency: "user" });
  queue.start();
  await clock.advance(10_000);
  expect(handled[0]).toBe("busy/0");
  const last = Math.max(...["a", "b", "c"].map((lane) => handled.indexOf(`${lane}/resync`)));
  expect(last).toBeGreaterThan(100);
  expect(last).toBeLessThan(1_100);
});

test("no more are handled at once than there are workers in all", async () => {
  const { clock, queue, handled } = arrange({ workers: 3, workersPerLane: 2 });
  for (const index of [0, 1, 2, 3]) queue.add(`slow/${index}`);
  queue.start();
  await clock.advance(0);
  expect(queue.depth().active).toBe(2);
  queue.add("other/0");
  await clock.advance(0);
  expect(handled).toEqual(["slow/0", "slow/1", "other/0"]);
});

test("a key that is due moves to the front of its lane when somebody waits for it", async () => {
  const { clock, queue, handled } = arrange({ workers: 1, workersPerLane: 1 });
  for (const key of ["a/1", "a/2", "b/1"]) queue.add(key);
  queue.add("a/2", { urgency: "user" });
  queue.start();
  await clock.advance(0);
  expect(handled).toEqual(["a/2", "b/1", "a/1"]);
});

test("1,200 keys of one tenant delay the first key of another tenant by one turn", async () => {
  const { clock, queue, handled } = arrange({ workers: 1 });
  for (let index = 0; index < 1_200; index += 1) queue.add(`team-c:shop-account/${index}`, { urgency: "user" });
  queue.add("shop:shop-account/first", { urgency: "user" });
  queue.start();
  await clock.advance(10_000);
  expect(handled).toHaveLength(1_201);
  expect(handled.indexOf("shop:shop-account/first")).toBeLessThan(2);
});

test("a tenant with 1,000 lanes gets no more turns than a tenant with one", async () => {
  const { clock, queue, handled } = arrange({ workers: 1 });
  for (let index = 0; index < 1_000; index += 1) queue.add(`team-c:account-${index}/1`, { urgency: "user" });
  for (const index of [0, 1, 2]) queue.add(`shop:shop-account/${index}`, { urgency: "user" });
  queue.start();
  await clock.advance(10_000);
  expect(handled).toHaveLength(1_003);
  expect(handled.indexOf("shop:shop-account/2")).toBeLessThan(6);
});

test("a tenant that fills its part of an account leaves room for other tenants of the account", async () => {
  const { clock, queue, handled } = arrange();
  queue.start();
  for (const index of [0, 1, 2]) queue.add(`team-b:slow/${index}`, { urgency: "user" });
  queue.add("shop:slow/first", { urgency: "user" });
  await clock.advance(0);
  expect(handled.sort()).toEqual(["shop:slow/first", "team-b:slow/0", "team-b:slow/1"]);
});

test("the lanes of one tenant take turns", async () => {
  const { clock, queue, handled } = arrange({ workers: 1 });
  for (let index = 0; index < 50; index += 1) queue.add(`shop:long/${index}`);
  queue.add("shop:short/0");
  queue.start();
  await clock.advance(0);
  expect(handled.indexOf("shop:short/0")).toBeLessThan(3);
});
