import { describe, expect, test } from "vitest";
import { HttpError } from "../../src/api/errors.ts";
import { arrange, broken, collectionAt, gone, instances, rows } from "./cloud.ts";

const LIST = "LIST /compute/instances";

/** An observer that has listed `count` instances, each the concern of the key `key <id>`; what that cost is forgotten. */
async function following(count: number, options: Parameters<typeof arrange>[0] = {}) {
  const arranged = arrange(options);
  const { cloud, observer } = arranged;
  cloud.collections.set(instances.path, rows(count));
  await observer.snapshot(instances);
  for (let id = 1; id <= count; id += 1) observer.depend(`key ${id}`, [{ collection: instances, id: String(id) }]);
  cloud.requests.length = 0;
  return arranged;
}

describe("the poll", () => {
  test("of 1,000 unchanged rows is two requests a minute and wakes nobody", async () => {
    const { cloud, clock, woken } = await following(1_000);
    await clock.advance(60_000);
    expect(cloud.requests).toEqual([LIST, LIST]);
    await clock.advance(60_000);
    expect(cloud.requests).toHaveLength(4);
    expect(woken).toEqual([]);
  });

  test("wakes just the keys whose rows changed in what is kept of them", async () => {
    const { cloud, clock, woken, observer } = await following(3);
    observer.depend("other", [{ collection: instances, id: "2" }]);
    cloud.collections.set(instances.path, [
      { id: 1, status: "running", noise: "changed" },
      { id: 2, status: "offline" },
      { id: 3, status: "running" },
      { id: 4, status: "running" },
    ]);
    await clock.advance(60_000);
    expect(woken.sort()).toEqual(["key 2", "other"]);
  });

  test("is put off by a list that somebody needed meanwhile", async () => {
    const { cloud, clock, observer } = await following(1);
    await clock.advance(50_000);
    await observer.snapshot(instances, { after: clock.now() });
    await clock.advance(59_999);
    expect(cloud.requests).toEqual([LIST]);
    await clock.advance(1);
    expect(cloud.requests).toEqual([LIST, LIST]);
  });

  test("comes no more often for many keys, and ends when the last one is forgotten; then the rows are dropped", async () => {
    const { cloud, clock, observer } = await following(2);
    observer.forget("key 1");
    await clock.advance(60_000);
    expect(cloud.requests).toEqual([LIST]);
    observer.forget("key 2");
    await clock.advance(600_000);
    expect(cloud.requests).toEqual([LIST]);
    await observer.snapshot(instances);
    expect(cloud.requests).toEqual([LIST, LIST]);
  });

  test("follows a key that moves to another collection", async () => {
    const { cloud, clock, observer } = await following(1);
    const firewalls = collectionAt("/networking/firewalls");
    observer.depend("key 1", [{ collection: firewalls, id: "1" }]);
    await clock.advance(100_000);
    expect(new Set(cloud.requests)).toEqual(new Set(["LIST /networking/firewalls"]));
  });

  test("is spread by chance, by a tenth either way", async () => {
    const { cloud, clock } = await following(1, { random: () => 0 });
    await clock.advance(53_999);
    expect(cloud.requests).toEqual([]);
    await clock.advance(1);
    expect(cloud.requests).toEqual([LIST]);
  });

  test("that fails keeps what was known, says so once when it begins and once when it ends, and goes on", async () => {
    const warnings: string[] = [];
    const note = (_: object, message: string) => void warnings.push(message);
    const log = { error: note, warn: note, info: note, debug: () => undefined };
    const { cloud, clock, observer, woken } = await following(2, { log });
    cloud.failures.set(instances.path, broken(instances.path));
    await clock.advance(180_000);
    expect(cloud.requests).toHaveLength(3);
    expect(warnings).toHaveLength(1);
    expect((await observer.snapshot(instances)).rows.size).toBe(2);
    cloud.failures.clear();
    cloud.collections.set(instances.path, rows(2, "offline"));
    await clock.advance(120_000);
    expect(woken.sort()).toEqual(["key 1", "key 2"]);
    expect(warnings).toEqual([
      "could not read a collection; keeping the last known rows",
      "a collection is readable again",
    ]);
  });

  test("tells metrics how old the last list is", async () => {
    const { clock, observer } = await following(1);
    await clock.advance(59_000);
    expect(observer.ages()).toEqual([{ collection: instances.path, ageSeconds: 59 }]);
    await clock.advance(2_000);
    expect(observer.ages()).toEqual([{ collection: instances.path, ageSeconds: 1 }]);
  });

  test("comes at another time from then on when that is changed, without a list at once", async () => {
    const { cloud, clock, observer } = await following(1);
    observer.pollEvery(600_000);
    await clock.advance(300_000);
    expect(cloud.requests).toEqual([]);
    observer.pollEvery(60_000);
    await clock.advance(60_000);
    expect(cloud.requests.length).toBeGreaterThan(0);
  });

  test("of an observer that was closed does not begin when somebody still reads", async () => {
    const { cloud, clock, observer } = await following(1);
    observer.close();
    const firewalls = collectionAt("/networking/firewalls");
    await observer.snapshot(firewalls);
    observer.depend("key", [{ collection: firewalls, id: "1" }]);
    cloud.requests.length = 0;
    await clock.advance(600_000);
    expect(cloud.requests).toEqual([]);
  });

  test("ends with the observer and leaves no timer", async () => {
    const { clock, observer } = await following(1);
    observer.close();
    expect(clock.waiting()).toBe(0);
  });
});

describe("a row that a list lacks", () => {
  test("and that is there, as its GET says, is no change", async () => {
    const { cloud, clock, observer, woken } = await following(2);
    cloud.hidden.add(2);
    await clock.advance(60_000);
    expect(cloud.requests).toEqual([LIST, "GET /compute/instances/2"]);
    expect(woken).toEqual([]);
    expect((await observer.snapshot(instances)).rows.has("2")).toBe(true);
  });

  test("and that is gone, as its GET says, wakes its key", async () => {
    const { cloud, clock, observer, woken } = await following(2);
    cloud.collections.set(instances.path, rows(1));
    await clock.advance(60_000);
    expect(woken).toEqual(["key 2"]);
    expect((await observer.snapshot(instances)).rows.has("2")).toBe(false);
  });

  test("and whose GET fails stays until it is known", async () => {
    const { cloud, clock, observer, woken } = await following(2);
    cloud.collections.set(instances.path, rows(1));
    cloud.failures.set("/compute/instances/2", broken("/compute/instances/2"));
    await clock.advance(60_000);
    expect(woken).toEqual([]);
    expect((await observer.snapshot(instances)).rows.has("2")).toBe(true);
    cloud.failures.clear();
    await clock.advance(60_000);
    expect(woken).toEqual(["key 2"]);
  });

  test("and that no key lives by is dropped without asking", async () => {
    const { cloud, clock, observer } = await following(2);
    observer.forget("key 2");
    cloud.collections.set(instances.path, rows(1));
    await clock.advance(60_000);
    expect(cloud.requests).toEqual([LIST]);
    expect((await observer.snapshot(instances)).rows.has("2")).toBe(false);
  });

  test("because the whole list is gone with its parent is asked for singly", async () => {
    const { cloud, clock, observer, woken } = arrange();
    const records = collectionAt("/domains/12/records");
    cloud.collections.set(records.path, rows(1));
    await observer.snapshot(records);
    observer.depend("record", [{ collection: records, id: "1" }]);
    cloud.collections.delete(records.path);
    cloud.failures.set(records.path, gone(records.path));
    await clock.advance(60_000);
    expect(woken).toEqual(["record"]);
  });
});

describe("rows in transition", () => {
  test("one is read singly every three seconds until it has changed", async () => {
    const { cloud, clock, observer, woken } = await following(2);
    observer.depend("key 1", [{ collection: instances, id: "1", transitional: clock.now() }]);
    await clock.advance(6_000);
    expect(cloud.requests).toEqual(["GET /compute/instances/1", "GET /compute/instances/1"]);
    cloud.collections.set(instances.path, rows(2, "offline"));
    await clock.advance(3_000);
    expect(woken).toEqual(["key 1"]);
    observer.depend("key 1", [{ collection: instances, id: "1" }]);
    await clock.advance(30_000);
    expect(cloud.requests).toHaveLength(3);
  });

  test("one that takes long is read less often, and a new one beside it as soon as ever", async () => {
    const { cloud, clock, observer, woken } = await following(2);
    observer.depend("key 1", [{ collection: instances, id: "1", transitional: clock.now() }]);
    await clock.advance(1_800_000);
    const singles = cloud.requests.filter((request) => request === "GET /compute/instances/1");
    expect(singles.length).toBeLessThan(180);
    cloud.collections.set(instances.path, rows(2, "offline"));
    await clock.advance(15_000);
    expect(woken).toContain("key 1");
    observer.depend("key 2", [{ collection: instances, id: "2", transitional: clock.now() }]);
    await clock.advance(15_000);
    cloud.requests.length = 0;
    await clock.advance(9_000);
    expect(cloud.requests).toEqual([LIST, LIST, LIST]);
  });

  test("several cost one list, whatever their number", async () => {
    const { cloud, clock, observer } = await following(400);
    for (let id = 1; id <= 400; id += 1) {
      observer.depend(`key ${id}`, [{ collection: instances, id: String(id), transitional: clock.now() }]);
    }
    await clock.advance(3_000);
    expect(cloud.requests).toEqual([LIST]);
  });

  test("two of a list of three pages are read singly", async () => {
    const { cloud, clock, observer } = await following(1_200);
    for (const id of ["7", "8"])
      observer.depend(`key ${id}`, [{ collection: instances, id, transitional: clock.now() }]);
    await clock.advance(3_000);
    expect(cloud.requests).toEqual(["GET /compute/instances/7", "GET /compute/instances/8"]);
  });

  test("are read ever more rarely while reading fails, at most once a poll", async () => {
    const { cloud, clock, observer } = await following(1);
    observer.depend("key 1", [{ collection: instances, id: "1", transitional: clock.now() }]);
    cloud.failures.set(instances.path, broken(instances.path));
    cloud.failures.set("/compute/instances/1", broken("/compute/instances/1"));
    await clock.advance(600_000);
    expect(cloud.requests.length).toBeLessThan(16);
    expect(cloud.requests.length).toBeGreaterThan(9);
  });
});

describe("the polls of collections of one item each", () => {
  const zones = 1_000;
  /** 400 a minute, less what is left to others. */
  const everyMs = 160;

  async function ofZones(options: Parameters<typeof arrange>[0] = {}) {
    const arranged = arrange({ random: Math.random, ...options });
    arranged.cloud.paces = [{ limit: "pages", everyMs }];
    for (let id = 1; id <= zones; id += 1) {
      const records = collectionAt(`/domains/${id}/records`, "domain");
      arranged.cloud.collections.set(records.path, rows(1));
      await arranged.observer.snapshot(records);
      arranged.observer.depend(`key ${id}`, [{ collection: records, id: "1" }]);
    }
    arranged.cloud.requests.length = 0;
    return arranged;
  }

  const heldBack = (path: string) =>
    new HttpError("held back", { method: "GET", path, status: 429, outcome: "refused", retryAfterMs: 30_000 });

  test("take the pace of their limit, and each comes", async () => {
    const { cloud, clock } = await ofZones();
    const minutes = 10;
    await clock.advance(minutes * 60_000);
    expect(cloud.requests.length).toBeLessThanOrEqual((minutes * 60_000 * 1.12) / everyMs);
    expect(new Set(cloud.requests).size).toBe(zones);
  });

  test("say nothing of one that the limit keeps back", async () => {
    const said: string[] = [];
    const note = (_: object, message: string) => void said.push(message);
    const log = { error: note, warn: note, info: note, debug: () => undefined };
    const { cloud, clock } = await ofZones({ log });
    for (const path of cloud.collections.keys()) cloud.failures.set(path, heldBack(path));
    await clock.advance(240_000);
    expect(said).toEqual([]);
  });

  test("that the limit keeps back come once it has room, and none waits for the next turn", async () => {
    const { cloud, clock } = await ofZones();
    const path = "/domains/7/records";
    const reads = () => cloud.requests.filter((read) => read === `LIST ${path}`).length;
    cloud.failures.set(path, heldBack(path));
    await clock.advance(zones * everyMs * 1.02);
    const before = reads();
    expect(before).toBeGreaterThan(0);
    cloud.failures.delete(path);
    await clock.advance(35_000);
    expect(reads()).toBe(before + 1);
  });

  test("come in equal distances, so that none is late by chance", async () => {
    const { cloud, clock } = await ofZones();
    const everyZoneMs = zones * everyMs;
    await clock.advance(everyZoneMs * 1.02);
    expect(new Set(cloud.requests).size).toBe(zones);
  });
});
