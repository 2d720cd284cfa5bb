import { describe, expect, test } from "vitest";
import { createQueue, type Handled, type QueueOptions } from "../../src/queue/queue.ts";
import type { Outcome } from "../../src/queue/types.ts";
import { createMovedClock } from "../support/clock.ts";

const DONE: Outcome = { type: "done" };

function arrange(options: Partial<QueueOptions> = {}) {
  const clock = createMovedClock();
  const start = clock.now();
  const handled: string[] = [];
  const queue = createQueue({
    clock,
    workers: 1,
    random: () => 0,
    handle: (key) => {
      handled.push(key);
      return Promise.resolve(DONE);
    },
    ...options,
  });
  return { clock, queue, handled, elapsed: () => clock.now() - start };
}

/** A handler whose runs end when the test says so. */
function manualHandler() {
  const running: { key: string; end: (outcome?: Outcome) => void; fail: (error: Error) => void }[] = [];
  const handle = (key: string) =>
    new Promise<Outcome>((resolve, reject) => {
      running.push({ key, end: (outcome = DONE) => resolve(outcome), fail: reject });
    });
  return { running, handle };
}

describe("a queue of keys", () => {
  test("holds keys until it is started", async () => {
    const { clock, queue, handled } = arrange();
    queue.add("a");
    await clock.advance(60_000);
    expect(handled).toEqual([]);
    queue.start();
    await clock.advance(0);
    expect(handled).toEqual(["a"]);
  });

  test("handles a key once however often it was added before", async () => {
    const { clock, queue, handled } = arrange();
    queue.start();
    for (const afterMs of [0, 0, 500, 0]) queue.add("a", { afterMs });
    await clock.advance(10_000);
    expect(handled).toEqual(["a"]);
  });

  test("keeps the earliest time of a key, whichever was said first", async () => {
    const { clock, queue, handled } = arrange();
    queue.start();
    queue.add("late first", { afterMs: 5_000 });
    queue.add("late first", { afterMs: 1_000 });
    queue.add("early first", { afterMs: 2_000 });
    queue.add("early first", { afterMs: 5_000 });
    await clock.advance(999);
    expect(handled).toEqual([]);
    await clock.advance(1);
    expect(handled).toEqual(["late first"]);
    await clock.advance(60_000);
    expect(handled).toEqual(["late first", "early first"]);
  });

  test("takes a user's key before all that wait for a resync", async () => {
    const { clock, queue, handled } = arrange();
    for (let index = 0; index < 5; index += 1) queue.add(`resync ${index}`);
    await clock.advance(60_000);
    queue.add("user", { urgency: "user" });
    queue.add("resync 3", { urgency: "user" });
    queue.start();
    await clock.advance(0);
    expect(handled).toEqual(["resync 3", "user", "resync 0", "resync 1", "resync 2", "resync 4"]);
  });

  test("does not let users' keys starve one that has waited for more than an hour", async () => {
    const { clock, queue, handled } = arrange();
    queue.add("old");
    await clock.advance(3_600_001);
    queue.add("user", { urgency: "user" });
    queue.start();
    await clock.advance(0);
    expect(handled).toEqual(["old", "user"]);
  });

  test("never handles a key twice at once, and handles it again if it was added meanwhile", async () => {
    const { running, handle } = manualHandler();
    const { clock, queue } = arrange({ workers: 4, handle });
    queue.start();
    queue.add("a");
    await clock.advance(0);
    queue.add("a");
    queue.add("a", { urgency: "user" });
    await clock.advance(60_000);
    expect(running.map(({ key }) => key)).toEqual(["a"]);
    running[0]!.end();
    await clock.advance(0);
    expect(running.map(({ key }) => key)).toEqual(["a", "a"]);
    running[1]!.end();
    await clock.advance(600_000);
    expect(running).toHaveLength(2);
    expect(queue.depth()).toEqual({ ready: 0, delayed: 0, active: 0 });
  });

  test("runs as many keys at once as it has workers", async () => {
    const { running, handle } = manualHandler();
    const { clock, queue } = arrange({ workers: 3, handle });
    queue.start();
    for (const key of ["a", "b", "c", "d", "e"]) queue.add(key);
    queue.add("f", { afterMs: 1_000 });
    await clock.advance(0);
    expect(queue.depth()).toEqual({ ready: 2, delayed: 1, active: 3 });
    running[1]!.end();
    await clock.advance(0);
    expect(running.map(({ key }) => key)).toEqual(["a", "b", "c", "d"]);
  });

  test("handles a key again after a millisecond at the soonest, where `later` names less than the clock can tell", async () => {
    let runs = 0;
    const handle = () => {
      runs += 1;
      return Promise.resolve<Outcome>(runs < 100 ? { type: "later", afterMs: 1e-10 } : DONE);
    };
    const { clock, queue } = arrange({ handle });
    queue.start();
    await clock.advance(1_000_000);
    queue.add("a");
    await clock.advance(0.5);
    expect(runs).toBe(1);
    await clock.advance(1);
    expect(runs).toBe(2);
  });

  test("handles a key again after the time that `later` names", async () => {
    const outcomes: Outcome[] = [{ type: "later", afterMs: 7_000 }, DONE];
    const times: number[] = [];
    const { clock, queue, elapsed } = arrange({
      handle: () => {
        times.push(elapsed());
        return Promise.resolve(outcomes[times.length - 1] ?? DONE);
      },
    });
    queue.start();
    queue.add("a");
    await clock.advance(60_000);
    expect(times).toEqual([0, 7_000]);
  });
});

describe("backoff", () => {
  test("doubles from one second to five minutes and starts small again after a success", async () => {
    const times: number[] = [];
    let outcome: Outcome = { type: "backoff" };
    const { clock, queue, elapsed } = arrange({
      handle: () => {
        times.push(elapsed());
        return Promise.resolve(outcome);
      },
    });
    queue.start();
    queue.add("a");
    await clock.advance(2_000_000);
    const gaps = times.slice(1).map((time, index) => (time - times[index]!) / 1_000);
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]);

    outcome = DONE;
    await clock.advance(300_000);
    outcome = { type: "backoff" };
    times.length = 0;
    queue.add("a");
    await clock.advance(1_000);
    expect(times).toHaveLength(2);
  });

  test("begins with the delay that is named, and anew where another one is", async () => {
    const firsts = [40_000, 40_000, 40_000, 60_000, undefined, undefined, 40_000];
    const times: number[] = [];
    const { clock, queue, elapsed } = arrange({
      handle: () => {
        const firstMs = firsts[times.length];
        times.push(elapsed());
        return Promise.resolve(
          times.length > firsts.length ? DONE : { type: "backoff", ...(firstMs !== undefined && { firstMs }) },
        );
      },
    });
    queue.start();
    queue.add("a");
    await clock.advance(1_000_000);
    const gaps = times.slice(1).map((time, index) => (time - times[index]!) / 1_000);
    expect(gaps).toEqual([40, 80, 160, 60, 1, 2, 40]);
  });

  test("is spread by chance, by no more than a quarter", async () => {
    const times: number[] = [];
    const { clock, queue, elapsed } = arrange({
      random: () => 1,
      handle: () => {
        times.push(elapsed());
        return Promise.resolve({ type: "backoff" });
      },
    });
    queue.start();
    queue.add("a");
    await clock.advance(2_250);
    expect(times).toEqual([0, 750, 2_250]);
  });

  test("of a reset key starts small again", async () => {
    const times: number[] = [];
    const { clock, queue, elapsed } = arrange({
      handle: () => {
        times.push(elapsed());
        return Promise.resolve({ type: "backoff" });
      },
    });
    queue.start();
    queue.add("a");
    await clock.advance(7_000);
    queue.reset("a");
    await clock.advance(8_000);
    expect(times).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    await clock.advance(1_000);
    expect(times.at(-1)).toBe(16_000);
  });

  test("follows a handler that throws or rejects, which is told and hurts no other key", async () => {
    const errors: string[] = [];
    const measures: Handled[] = [];
    const handled: string[] = [];
    const { clock, queue } = arrange({
      workers: 2,
      onError: (key, error) => errors.push(`${key}: ${String(error)}`),
      onHandled: (measure) => measures.push(measure),
      handle: (key) => {
        handled.push(key);
        if (key === "throws") throw new Error("no");
        if (key === "rejects") return Promise.reject(new Error("no"));
        return Promise.resolve(DONE);
      },
    });
    queue.start();
    for (const key of ["throws", "rejects", "a", "b"]) queue.add(key);
    await clock.advance(500);
    expect(handled).toEqual(["throws", "rejects", "a", "b"]);
    expect(errors).toEqual(["throws: Error: no", "rejects: Error: no"]);
    expect(measures.map(({ key, failed }) => [key, failed])).toContainEqual(["throws", "unexpected"]);
    await clock.advance(500);
    expect(handled.slice(4)).toEqual(["throws", "rejects"]);
  });
});

describe("figures for metrics", () => {
  test("say of every key whether it waits, is due later or is handled, and for how long", async () => {
    const { handle } = manualHandler();
    const { clock, queue } = arrange({ workers: 1, handle });
    queue.add("first", { urgency: "user" });
    queue.start();
    await clock.advance(0);
    queue.add("next");
    queue.add("later", { afterMs: 60_000 });
    await clock.advance(2_000);
    expect([...queue.keys()]).toEqual([
      { key: "first", state: "active", urgency: "user", ranMs: 2_000 },
      { key: "next", state: "ready", urgency: "resync", ranMs: 0 },
      { key: "later", state: "delayed", urgency: "resync", ranMs: 0 },
    ]);
  });

  test("count a key each time it begins to wait, and not when it waits already", async () => {
    const added: string[] = [];
    const outcomes: Outcome[] = [{ type: "later", afterMs: 1_000 }, DONE];
    const handle = () => Promise.resolve(outcomes.shift() ?? DONE);
    const { clock, queue } = arrange({ workers: 1, handle, onAdded: (key) => added.push(key) });
    for (let n = 0; n < 3; n++) queue.add("a");
    expect(added).toEqual(["a"]);
    queue.start();
    await clock.advance(1_500);
    expect(added).toEqual(["a", "a"]);
  });
});

describe("stopping", () => {
  test("waits for running keys, begins no other and leaves no timer", async () => {
    const { running, handle } = manualHandler();
    const { clock, queue } = arrange({ workers: 1, handle });
    queue.start();
    queue.add("a");
    queue.add("b");
    queue.add("c", { afterMs: 1_000 });
    await clock.advance(0);
    let stopped = false;
    const stopping = queue.stop().then(() => (stopped = true));
    queue.add("d");
    await clock.advance(5_000);
    expect(stopped).toBe(false);
    running[0]!.end({ type: "backoff" });
    await stopping;
    await clock.advance(600_000);
    expect(running).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  test("ends at once when nothing runs", async () => {
    const { queue } = arrange();
    queue.add("a");
    await expect(queue.stop()).resolves.toBeUndefined();
  });
});

test.each([
  { each: 1, turn: 16, because: "as many as may be begun" },
  { each: 4, turn: 5, because: "what takes as long as may be" },
])("the event loop gets its turn while handlers never wait, after $because", async ({ each, turn }) => {
  let now = 0;
  const timers: (() => void)[] = [];
  const clock = {
    now: () => now,
    date: () => new Date(0),
    turn: () => Promise.resolve(),
    schedule: (_: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    },
  };
  let handled = 0;
  const queue = createQueue({
    clock,
    workers: 1,
    handle: () => {
      handled += 1;
      now += each;
      return Promise.resolve(DONE);
    },
  });
  for (let index = 0; index < 100; index += 1) queue.add(`key ${index}`);
  queue.start();
  await new Promise(setImmediate);
  expect(handled).toBe(turn);
  for (const timer of timers.splice(0)) timer();
  await new Promise(setImmediate);
  expect(handled).toBe(2 * turn);
});

test("100,000 keys with mixed times all come once and in order of time", async () => {
  const { clock, queue, handled } = arrange({ workers: 100 });
  const count = 100_000;
  const due = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const key = `key ${index}`;
    queue.add(key, { afterMs: 1 + ((index * 7_919) % 50) });
    const earlier = 1 + ((index * 104_729) % 50);
    queue.add(key, { afterMs: earlier });
    due.set(key, Math.min(1 + ((index * 7_919) % 50), earlier));
  }
  queue.start();
  await clock.advance(100);
  expect(handled).toHaveLength(count);
  expect(new Set(handled).size).toBe(count);
  const times = handled.map((key) => due.get(key)!);
  expect(times.every((time, index) => index === 0 || times[index - 1]! <= time)).toBe(true);
});
