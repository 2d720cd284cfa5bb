/** Reads of what guards access: once in a poll, spread over it, within a share of the limits, and quiet. */
import { describe, expect, test } from "vitest";
import { arrange, broken } from "./cloud.ts";

const pollMs = 60_000;

function accessOf(number: number): string {
  return `/object-storage/buckets/us-east-1/b${number}/access`;
}

/** So many, each with a key of its own; `told`: events tell of them. */
async function guarded(count: number, told = false, options: Parameters<typeof arrange>[0] = {}) {
  const world = arrange(options);
  const paths = Array.from({ length: count }, (_, number) => accessOf(number));
  for (const path of paths) {
    world.cloud.details.set(path, { acl: "private" });
    await world.observer.detail(path);
    world.observer.guard(`key of ${path}`, [{ path, told }]);
  }
  world.cloud.requests.splice(0);
  return {
    ...world,
    paths,
    readsOf: (path: string) => world.cloud.requests.filter((one) => one === `GET ${path}`).length,
  };
}

describe("what guards access", () => {
  test("is read once in a poll, spread over it, and wakes nobody while it is the same", async () => {
    const { clock, cloud, paths, readsOf, woken } = await guarded(60);
    await clock.advance(pollMs / 2);
    expect(cloud.requests.length).toBeGreaterThanOrEqual(28);
    expect(cloud.requests.length).toBeLessThanOrEqual(34);
    await clock.advance(pollMs / 2);
    expect(paths.filter((path) => readsOf(path) === 0)).toEqual([]);
    expect(cloud.requests.length).toBeLessThanOrEqual(67);
    expect(woken).toEqual([]);
  });

  test("wakes those who live by it, and no other, within a poll of its change", async () => {
    const { clock, cloud, paths, woken, observer } = await guarded(5);
    observer.guard("another", [{ path: paths[3]!, told: false }]);
    cloud.details.set(paths[3]!, { acl: "public-read-write" });
    await clock.advance(pollMs);
    expect(woken).toEqual([`key of ${paths[3]}`, "another"]);
    cloud.requests.splice(0);
    expect(await observer.detail(paths[3]!)).toEqual({ acl: "public-read-write" });
    expect(cloud.requests).toEqual([]);
  });

  test("takes no more than the pace of its limits allows; the oldest goes first, and its age is told", async () => {
    const { clock, cloud, paths, readsOf, observer } = await guarded(400);
    cloud.paces = [
      { limit: "all", everyMs: 375 },
      { limit: "object-storage", everyMs: 6 },
    ];
    await clock.advance(10 * pollMs);
    // Those that were known before their limits were ask for them with their first read.
    expect(cloud.requests.length).toBeLessThanOrEqual(10 * 160 + 400);
    cloud.requests.splice(0);
    await clock.advance(5 * pollMs);
    expect(cloud.requests.length).toBeGreaterThanOrEqual(5 * 158);
    expect(cloud.requests.length).toBeLessThanOrEqual(5 * 160);
    expect(paths.filter((path) => readsOf(path) < 1 || readsOf(path) > 3)).toEqual([]);
    const ages = observer.guardAges().map(({ ageSeconds }) => ageSeconds);
    expect(Math.max(...ages)).toBeGreaterThan(140);
    expect(Math.max(...ages)).toBeLessThan(151);
  });

  test("does not wait for one that is held up, and reads no more than a few at once", async () => {
    const { clock, cloud, observer } = await guarded(100);
    const release = cloud.hold();
    await clock.advance(2 * pollMs);
    expect(cloud.requests).toHaveLength(8);
    release();
    await clock.advance(pollMs);
    expect(cloud.requests.length).toBeGreaterThan(100);
    expect(Math.max(...observer.guardAges().map(({ ageSeconds }) => ageSeconds))).toBeLessThanOrEqual(60);
  });

  test("that could not be read grows old, and wakes nobody; what changed meanwhile does afterwards", async () => {
    const { clock, cloud, paths, woken, observer } = await guarded(1);
    cloud.failures.set(paths[0]!, broken(paths[0]!));
    await clock.advance(3 * pollMs);
    expect(woken).toEqual([]);
    expect(observer.guardAges()).toEqual([{ path: paths[0], ageSeconds: 180 }]);
    cloud.details.set(paths[0]!, { acl: "public-read" });
    cloud.failures.clear();
    await clock.advance(pollMs);
    expect(woken).toEqual([`key of ${paths[0]}`]);
  });

  test("is not polled while events tell of it, and is as soon as they cannot be read", async () => {
    const { clock, cloud, paths, readsOf, observer } = await guarded(1, true, { canReadEvents: () => true });
    observer.depend("somebody", [
      { collection: { path: "/x", idOf: String, project: (row) => row, itemPath: String }, id: "1" },
    ]);
    await clock.advance(3 * pollMs);
    const before = readsOf(paths[0]!);
    await clock.advance(5 * pollMs);
    expect(readsOf(paths[0]!)).toBe(before);
    expect(observer.guardAges()).toEqual([]);
    cloud.failures.set("/account/events", broken("/account/events"));
    await clock.advance(2 * pollMs);
    expect(readsOf(paths[0]!)).toBeGreaterThan(before);
  });

  test("is not read any more once its key says so, is gone, or the observer is closed", async () => {
    const { clock, cloud, paths, readsOf, observer } = await guarded(3);
    observer.guard(`key of ${paths[0]}`, []);
    observer.forget(`key of ${paths[1]}`);
    await clock.advance(2 * pollMs);
    expect([readsOf(paths[0]!), readsOf(paths[1]!)]).toEqual([0, 0]);
    observer.close();
    cloud.requests.splice(0);
    await clock.advance(2 * pollMs);
    expect(cloud.requests).toEqual([]);
  });
});
