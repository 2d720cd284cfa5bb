import { describe, expect, test } from "vitest";
import { createLimiter, type Turn } from "../../src/api/limiter.ts";
import { createMovedClock } from "../support/clock.ts";

const CREATE = "POST /compute/instances";

function arrange() {
  const clock = createMovedClock();
  const limiter = createLimiter({ clock, maxWaitMs: 40_000 });
  const left: string[] = [];
  const refused: string[] = [];
  const ask = (name: string, turn: Partial<Turn> = {}) => {
    const whole = { operation: CREATE, paged: false, priority: "create" as const, urgent: true, ...turn };
    limiter.acquire(whole).then(
      () => left.push(name),
      () => refused.push(name),
    );
  };
  const lesson = (limit: number, remaining: number, inMs: number) => ({
    limit,
    remaining,
    resetAt: clock.now() + inMs,
  });
  return { clock, limiter, left, refused, ask, lesson };
}

const many = (count: number, call: (index: number) => void) => Array.from({ length: count }, (_, index) => call(index));

describe("the figures of the documents hold from the start", () => {
  test.each([
    [CREATE, false, 10, 30_000, "instance create"],
    ["POST /compute/instances/*/clone", false, 10, 30_000, "instance clone"],
    ["POST /object-storage/buckets", false, 60, 60_000, "bucket create"],
    ["GET /images", true, 20, 60_000, "image list"],
    ["GET /compute/instances/*/stats", false, 100, 60_000, "statistics"],
    ["GET /domains", true, 400, 60_000, "a paginated list"],
    ["GET /domains/*", false, 800, 60_000, "any other operation"],
    ["GET /object-storage/buckets", true, 750, 1_000, "object storage"],
  ])("%s (paged: %s) may leave %d times in %d ms: %s", async (operation, paged, allowed, windowMs) => {
    const { clock, left, ask } = arrange();
    many(allowed + 5, (index) => ask(String(index), { operation, paged }));
    await clock.advance(windowMs > 40_000 ? 0 : windowMs - 1);
    expect(left).toHaveLength(allowed);
    await clock.advance(windowMs);
    expect(left.length).toBe(windowMs > 40_000 ? allowed : allowed + 5);
  });

  test("in all, 1,600 may leave in two minutes", async () => {
    const { clock, left, ask } = arrange();
    many(1_700, (index) => ask(String(index), { operation: `GET /x/${index % 10}` }));
    await clock.advance(0);
    expect(left).toHaveLength(1_600);
  });

  test("in all, as many may leave as the endpoint is said to let", async () => {
    const clock = createMovedClock();
    const limiter = createLimiter({ clock, requestsInTwoMinutes: 100 });
    let left = 0;
    const turn = { paged: false, priority: "create", urgent: true } as const;
    many(
      150,
      (index) => void limiter.acquire({ ...turn, operation: `GET /x/${index}` }).then(() => (left += 1), String),
    );
    await clock.advance(0);
    expect(left).toBe(100);
  });
});

test("to create and to clone instances counts together", async () => {
  const { clock, left, ask } = arrange();
  many(6, () => ask("create"));
  many(6, () => ask("clone", { operation: "POST /compute/instances/*/clone" }));
  await clock.advance(0);
  expect(left).toHaveLength(10);
});

describe("when a limit is short", () => {
  test("delete goes before create before update before observe, and a user's first among equals", async () => {
    const { clock, left, ask } = arrange();
    many(10, () => ask("first"));
    ask("observe", { priority: "observe" });
    ask("update", { priority: "update" });
    ask("create", { urgent: false });
    ask("urgent create");
    ask("delete", { priority: "delete", urgent: false });
    await clock.advance(30_000);
    expect(left.slice(10)).toEqual(["delete", "urgent create", "create", "update", "observe"]);
  });

  test("equals go in the order in which they came", async () => {
    const { clock, left, ask } = arrange();
    many(10, () => ask("first"));
    many(5, (index) => ask(String(index)));
    await clock.advance(30_000);
    expect(left.slice(10)).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("the last tenth is kept for urgent calls", async () => {
    const { clock, left, ask } = arrange();
    many(12, () => ask("background", { urgent: false }));
    await clock.advance(0);
    expect(left).toHaveLength(9);
    ask("user");
    await clock.advance(0);
    expect(left[9]).toBe("user");
  });

  test("nobody overtakes those who wait in the moment when there is room again", async () => {
    const { clock, left, ask } = arrange();
    clock.schedule(30_000, () => ask("newcomer"));
    many(25, (index) => ask(String(index)));
    await clock.advance(30_000);
    expect(left).toHaveLength(20);
    expect(left).not.toContain("newcomer");
  });

  test("one operation holds up no other", async () => {
    const { clock, left, ask } = arrange();
    many(15, () => ask("create"));
    ask("other", { operation: "GET /domains/*", priority: "observe", urgent: false });
    await clock.advance(0);
    expect(left).toHaveLength(11);
    expect(left[10]).toBe("other");
  });

  test("a request that would wait too long is refused as soon as the service names the time, and nothing is left behind", async () => {
    const { clock, limiter, left, refused, ask } = arrange();
    many(10, () => ask("first"));
    limiter.learn({ operation: CREATE, paged: false }, undefined, 30_000);
    ask("held");
    await clock.advance(20_000);
    limiter.learn({ operation: CREATE, paged: false }, undefined, 60_000);
    ask("too long");
    await clock.advance(0);
    expect(refused).toEqual(["held", "too long"]);
    expect(left).toHaveLength(10);
    expect(clock.waiting()).toBe(0);
  });

  test("a request waits for the first response while the limit is a guess, and leaves if the service permits more", async () => {
    const clock = createMovedClock();
    const limiter = createLimiter({ clock, maxWaitMs: 10_000 });
    const turn = { operation: CREATE, paged: false, priority: "create", urgent: true } as const;
    let left = 0;
    let refused = 0;
    const ask = (): void =>
      void limiter.acquire(turn).then(
        () => (left += 1),
        () => (refused += 1),
      );
    many(25, ask);
    await clock.advance(500);
    expect({ left, refused }).toEqual({ left: 10, refused: 0 });
    limiter.learn(turn, { limit: 20, remaining: 19, resetAt: clock.now() + 29_000 });
    await clock.advance(0);
    expect({ left, refused }).toEqual({ left: 20, refused: 5 });
    expect(clock.waiting()).toBe(0);
  });

  test("a request is held no longer than the limiter permits if no response names a limit", async () => {
    const clock = createMovedClock();
    const limiter = createLimiter({ clock, maxWaitMs: 10_000 });
    const turn = { operation: CREATE, paged: false, priority: "create", urgent: true } as const;
    const waits: unknown[] = [];
    many(11, () => void limiter.acquire(turn).catch((error: unknown) => waits.push(error)));
    await clock.advance(9_999);
    expect(waits).toEqual([]);
    await clock.advance(1);
    expect(waits).toMatchObject([{ exhaustedForMs: 20_000 }]);
  });

  test("a call that is ended gives up its place", async () => {
    const { clock, left, refused, ask } = arrange();
    const ending = new AbortController();
    many(10, () => ask("first"));
    ask("ended", { signal: ending.signal });
    ask("next");
    ending.abort(new Error("stopped"));
    await clock.advance(30_000);
    expect(refused).toEqual(["ended"]);
    expect(left.slice(10)).toEqual(["next"]);
  });
});

describe("the cloud's own figures replace ours", () => {
  const domains = { operation: "GET /domains/*", paged: false };

  test("a smaller limit and what is left of it", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    limiter.learn(domains, lesson(50, 3, 20_000));
    many(5, () => ask("now", domains));
    await clock.advance(19_999);
    expect(left).toHaveLength(3);
    await clock.advance(1);
    expect(left).toHaveLength(5);
  });

  test("an account that may create more: the figure holds for clones as well", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    limiter.learn({ operation: CREATE, paged: false }, lesson(20, 20, 30_000));
    many(25, () => ask("clone", { operation: "POST /compute/instances/*/clone" }));
    await clock.advance(0);
    expect(left).toHaveLength(20);
  });

  test("the limit of creating buckets holds up no other call of object storage", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    limiter.learn({ operation: "POST /object-storage/buckets", paged: false }, lesson(60, 0, 60_000));
    many(700, () => ask("access", { operation: "GET /object-storage/buckets/*/access" }));
    await clock.advance(0);
    expect(left).toHaveLength(700);
  });

  test("where operations count together, one that tells another figure has a limit of its own", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    const keys = { operation: "POST /object-storage/keys", paged: false };
    limiter.learn(keys, lesson(5, 1, 20_000));
    many(3, () => ask("key", keys));
    many(700, () => ask("access", { operation: "GET /object-storage/buckets/*/access" }));
    await clock.advance(0);
    expect(left.filter((name) => name === "access")).toHaveLength(700);
    expect(left.filter((name) => name === "key")).toHaveLength(1);
    await clock.advance(20_000);
    expect(left.filter((name) => name === "key")).toHaveLength(3);
  });

  test("after a restart, the cloud's window began before ours", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    ask("first", domains);
    limiter.learn(domains, lesson(800, 1, 20_000));
    many(3, () => ask("then", domains));
    await clock.advance(0);
    expect(left).toHaveLength(2);
    await clock.advance(20_000);
    expect(left).toHaveLength(4);
  });

  test("an answer that was overtaken does not give back what was used since", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    limiter.learn(domains, lesson(800, 1, 20_000));
    limiter.learn(domains, lesson(800, 700, 20_000));
    limiter.learn(domains, lesson(800, 700, -40_000));
    many(3, () => ask("then", domains));
    await clock.advance(0);
    expect(left).toHaveLength(1);
  });

  test("a figure that only fits the limit in all is taken for it", async () => {
    const { clock, limiter, left, ask, lesson } = arrange();
    limiter.learn(domains, lesson(1_600, 1, 20_000));
    ask("last of all", domains);
    ask("other", { operation: "GET /regions" });
    await clock.advance(0);
    expect(left).toEqual(["last of all"]);
    await clock.advance(20_000);
    expect(left).toEqual(["last of all", "other"]);
  });

  test("a short 429 of an operation that is not used up ends with the time it names, not with the window", async () => {
    const { clock, limiter, left, refused, ask } = arrange();
    const operation = "POST /profile/sshkeys";
    ask("first", { operation });
    limiter.learn({ operation, paged: false }, undefined, 1_000);
    ask("second", { operation });
    await clock.advance(1_000);
    expect(left).toEqual(["first", "second"]);
    expect(refused).toEqual([]);
  });

  test("a 429 stops the operation until the time it names", async () => {
    const { clock, limiter, left, ask } = arrange();
    limiter.learn(domains, undefined, 7_000);
    ask("held", domains);
    ask("other", { operation: "GET /regions" });
    await clock.advance(6_999);
    expect(left).toEqual(["other"]);
    await clock.advance(1);
    expect(left).toEqual(["other", "held"]);
  });
});

test("room that was kept and is not needed lets another go, once", async () => {
  const { clock, limiter, left, ask } = arrange();
  const turn = { operation: CREATE, paged: false, priority: "create", urgent: true } as const;
  const kept = await Promise.all(Array.from({ length: 10 }, () => limiter.acquire(turn)));
  many(2, (index) => ask(String(index)));
  await clock.advance(0);
  kept[0]?.giveBack();
  kept[0]?.giveBack();
  expect(kept[1]?.use()).toBe(true);
  kept[1]?.giveBack();
  await clock.advance(0);
  expect(left).toEqual(["0"]);
});

test("room that was kept until the next window counts there", async () => {
  const { clock, limiter, left, ask } = arrange();
  const turn = { operation: CREATE, paged: false, priority: "create", urgent: true } as const;
  const kept = await Promise.all(Array.from({ length: 10 }, () => limiter.acquire(turn)));
  await clock.advance(30_000);
  for (const permit of kept) permit.use();
  ask("one more");
  await clock.advance(29_999);
  expect(left).toEqual([]);
  await clock.advance(1);
  expect(left).toEqual(["one more"]);
});

test("tells how far apart reads must be for a share of each limit, as the cloud names it", () => {
  const limiter = createLimiter({ clock: createMovedClock() });
  const turn = { operation: "GET /object-storage/buckets/*/access", paged: false };
  expect(limiter.paces(turn, 0.2)).toEqual([
    { limit: "object-storage", everyMs: 1_000 / 150 },
    { limit: "all", everyMs: 375 },
  ]);
  limiter.learn(turn, { limit: 800, remaining: 700, resetAt: 60_000 });
  expect(limiter.paces(turn, 0.2)).toContainEqual({ limit: "all", everyMs: 375 });
  const list = { operation: "GET /networking/firewalls/*/devices", paged: true };
  expect(limiter.paces(list, 0.2)[0]).toEqual({ limit: list.operation, everyMs: 750 });
});
