/** What a list and the path of a row say of it against each other. */
import { expect, test } from "vitest";
import { arrange, instances, rows } from "./cloud.ts";

const LIST = "LIST /compute/instances";
const GET = "GET /compute/instances/1";

/** An observer of one row, which the key `key` lives by. */
async function following(collection = instances) {
  const arranged = arrange();
  const { cloud, observer } = arranged;
  cloud.collections.set(instances.path, rows(1));
  await observer.snapshot(collection);
  observer.depend("key", [{ collection, id: "1" }]);
  cloud.requests.length = 0;
  return arranged;
}

test.each([true, "only"] as const)(
  "a row that a list lacks is confirmed without another list, also where only a list tells what it is: %s",
  async (wholeInList) => {
    const { cloud, clock, observer, woken } = await following({ ...instances, wholeInList });
    cloud.hidden.add(1);
    await clock.advance(1);
    await observer.snapshot({ ...instances, wholeInList }, { after: clock.now() });
    await clock.advance(1_000);
    expect(cloud.requests).toEqual([LIST, GET]);
    expect(woken).toEqual([]);
  },
);

test("a row that its lists lack and its own path shows is confirmed ever less often, and at once when it is new that they lack it", async () => {
  const { cloud, clock, observer } = await following();
  const confirmed = async (lists: number): Promise<number> => {
    cloud.requests.length = 0;
    for (let count = 0; count < lists; count += 1) {
      await observer.snapshot(instances, { after: clock.now() });
      await clock.advance(10_000);
    }
    return cloud.requests.filter((request) => request === GET).length;
  };
  cloud.hidden.add(1);
  expect(await confirmed(6)).toBe(2);
  expect(await confirmed(60)).toBe(3);
  cloud.hidden.delete(1);
  expect(await confirmed(1)).toBe(0);
  cloud.hidden.add(1);
  expect(await confirmed(1)).toBe(1);
});

test("a row that is gone by its own path and there by the next list wakes its keys at once, then ever later; not for good", async () => {
  const { cloud, clock, observer, woken } = await following();
  const wakes = async (times: number): Promise<number> => {
    woken.length = 0;
    for (let count = 0; count < times; count += 1) {
      cloud.collections.set(instances.path, []);
      expect(await observer.read(instances, "1", { after: clock.now() })).toBeUndefined();
      cloud.collections.set(instances.path, rows(1));
      await observer.snapshot(instances, { after: clock.now() + 0.001 });
      await clock.advance(1_000);
    }
    return woken.length;
  };
  expect(await wakes(1)).toBe(2);
  expect(await wakes(59)).toBeLessThanOrEqual(6);
  woken.length = 0;
  await clock.advance(300_000);
  expect(woken).toEqual(["key"]);
  await clock.advance(600_001);
  expect(await wakes(1)).toBe(2);
});

test("what was to be told later is not told once the observer is closed", async () => {
  const { cloud, clock, observer, woken } = await following();
  for (let count = 0; count < 3; count += 1) {
    cloud.collections.set(instances.path, []);
    await observer.read(instances, "1", { after: clock.now() });
    cloud.collections.set(instances.path, rows(1));
    await observer.snapshot(instances, { after: clock.now() + 0.001 });
    await clock.advance(1);
  }
  woken.length = 0;
  observer.close();
  await clock.advance(600_000);
  expect(woken).toEqual([]);
});
