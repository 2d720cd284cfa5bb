import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { arrange, broken, collectionAt, instances, rows } from "./cloud.ts";

const EVENTS = "/account/events";
const disks = collectionAt("/compute/instances/1/disks", "compute");

function event(id: number, status: string, entityId = 1, more: JsonObject = {}): JsonObject {
  const url = `/v4/compute/instances/${entityId}`;
  return { id, status, action: "compute_boot", entity: { id: entityId, type: "compute", label: "x", url }, ...more };
}

/** An observer with events whose keys `one` and `two` live by two instances; the feed has been read once. */
async function following(options: Parameters<typeof arrange>[0] = {}) {
  const arranged = arrange({ canReadEvents: () => true, ...options });
  const { cloud, observer, clock } = arranged;
  cloud.collections.set(instances.path, rows(2));
  cloud.collections.set(EVENTS, []);
  await observer.snapshot(instances);
  observer.depend("one", [{ collection: instances, id: "1" }]);
  observer.depend("two", [{ collection: instances, id: "2" }]);
  await clock.advance(10_000);
  cloud.requests.length = 0;
  return arranged;
}

describe("the event feed", () => {
  test("is read every ten seconds, at first from a while ago and then by id", async () => {
    const { cloud, clock } = await following();
    expect(cloud.filters[0]).toEqual({
      created: { "+gte": "2025-12-31T23:50:00" },
      "+order_by": "id",
      "+order": "asc",
    });
    cloud.collections.set(EVENTS, [event(40, "finished")]);
    await clock.advance(20_000);
    expect(cloud.requests.filter((request) => request.includes(EVENTS))).toHaveLength(2);
    expect(cloud.filters.at(-1)).toMatchObject({ id: { "+gt": 40 } });
  });

  test("tells the age of what it knows, which grows while the events cannot be read", async () => {
    const { cloud, clock, observer } = await following();
    await clock.advance(4_000);
    expect(observer.feedAge()).toBe(4);
    cloud.failures.set(EVENTS, broken(EVENTS));
    await clock.advance(20_000);
    expect(observer.feedAge()).toBe(24);
  });

  test("has the row of an event read at once; a change wakes its key, and no other row is read", async () => {
    const { cloud, clock, woken } = await following();
    cloud.collections.set(instances.path, rows(2, "offline"));
    cloud.collections.set(EVENTS, [event(41, "finished")]);
    await clock.advance(10_000);
    expect(cloud.requests).toEqual([`LIST ${EVENTS}`, "GET /compute/instances/1"]);
    expect(woken).toEqual(["one"]);
  });

  test("does not believe an event: an unchanged row wakes nobody", async () => {
    const { cloud, clock, woken } = await following();
    cloud.collections.set(EVENTS, [event(41, "finished")]);
    await clock.advance(10_000);
    expect(woken).toEqual([]);
  });

  test("reads nothing of what was made at once, and is known by the response that made it", async () => {
    const { cloud, clock, observer } = await following();
    observer.depend("three", [{ collection: instances, id: "3" }]);
    observer.put(instances, "3", { status: "running", label: null });
    cloud.collections.set(EVENTS, [event(41, "notification", 3, { action: "compute_create" })]);
    await clock.advance(10_000);
    expect(cloud.requests).toEqual([`LIST ${EVENTS}`]);
  });

  test.each([
    { what: "that somebody else has made", put: undefined, action: "compute_create", status: "notification" },
    {
      what: "that is changed",
      put: { status: "running", label: null },
      action: "compute_update",
      status: "notification",
    },
    {
      what: "that is made bit by bit",
      put: { status: "booting", label: null },
      action: "compute_create",
      status: "finished",
    },
  ])("reads a row $what", async ({ put, action, status }) => {
    const { cloud, clock, observer } = await following();
    observer.depend("three", [{ collection: instances, id: "3" }]);
    observer.put(instances, "3", put);
    cloud.collections.set(EVENTS, [event(41, status, 3, { action })]);
    await clock.advance(10_000);
    expect(cloud.requests).toEqual([`LIST ${EVENTS}`, "GET /compute/instances/3"]);
  });

  test("keeps its cursor below an event that is not finished, and heeds it again when it ends", async () => {
    const { cloud, clock } = await following();
    cloud.collections.set(EVENTS, [event(50, "started"), event(51, "finished", 2)]);
    await clock.advance(20_000);
    expect(cloud.filters.at(-1)).toMatchObject({ id: { "+gt": 49 } });
    expect(cloud.requests.filter((request) => request.startsWith("GET"))).toHaveLength(0);
    expect(cloud.requests.filter((request) => request === "LIST /compute/instances")).toHaveLength(1);
    cloud.requests.length = 0;
    cloud.collections.set(EVENTS, [event(50, "finished"), event(51, "finished", 2)]);
    await clock.advance(10_000);
    expect(cloud.requests).toEqual([`LIST ${EVENTS}`, "GET /compute/instances/1"]);
    await clock.advance(10_000);
    expect(cloud.filters.at(-1)).toMatchObject({ id: { "+gt": 51 } });
  });

  test("is not held back for good by an event that never ends", async () => {
    const { cloud, clock } = await following({ feedMs: 600_000 });
    cloud.collections.set(EVENTS, [event(50, "started"), event(60, "finished")]);
    await clock.advance(8 * 3_600_000);
    expect(cloud.filters.at(-1)).toMatchObject({ id: { "+gt": 60 } });
  });

  test("drops the details below an event's entity and wakes the key that reads them", async () => {
    const { cloud, clock, observer, woken } = await following();
    const path = "/compute/instances/2/ips";
    cloud.details.set(path, 1);
    await observer.detail(path);
    cloud.details.set(path, 2);
    cloud.collections.set(EVENTS, [event(41, "finished", 2)]);
    await clock.advance(10_000);
    expect(woken).toEqual(["two"]);
    expect(await observer.detail(path)).toBe(2);
  });

  test("heeds an event's second entity", async () => {
    const { cloud, clock, woken } = await following();
    cloud.collections.set(instances.path, rows(2, "offline"));
    const secondary_entity = { id: 2, type: "compute", label: "x", url: "/v4/compute/instances/2" };
    cloud.collections.set(EVENTS, [event(41, "finished", 99, { secondary_entity })]);
    await clock.advance(10_000);
    expect(woken).toEqual(["two"]);
  });

  test("spares the poll of nested collections, which are listed when an event concerns their parent", async () => {
    const { cloud, clock, observer } = await following();
    const lists = () => cloud.requests.filter((request) => request === `LIST ${disks.path}`).length;
    cloud.collections.set(disks.path, rows(1));
    await observer.snapshot(disks);
    observer.depend("disk", [{ collection: disks, id: "1" }]);
    await clock.advance(300_000);
    expect(lists()).toBe(1);
    cloud.collections.set(EVENTS, [event(41, "finished")]);
    await clock.advance(10_000);
    expect(lists()).toBe(2);
    await clock.advance(600_000);
    expect(lists()).toBe(3);
  });

  test("that fails lets everything be polled until it can be read again", async () => {
    const { cloud, clock, observer } = await following();
    cloud.collections.set(disks.path, rows(1));
    await observer.snapshot(disks);
    observer.depend("disk", [{ collection: disks, id: "1" }]);
    cloud.failures.set(EVENTS, broken(EVENTS));
    await clock.advance(180_000);
    expect(cloud.requests.filter((request) => request === `LIST ${disks.path}`)).toHaveLength(4);
  });

  test.each<[string, JsonObject]>([
    ["an id that is a text", { id: "41" }],
    ["a status that is none", { status: null }],
  ])("heeds an event with %s, once", async (_, odd) => {
    const { cloud, clock, woken } = await following();
    cloud.collections.set(instances.path, rows(2, "offline"));
    cloud.collections.set(EVENTS, [{ ...event(41, "finished"), ...odd }]);
    await clock.advance(30_000);
    expect(woken).toEqual(["one"]);
    expect(cloud.filters.at(-1)).toMatchObject({ id: { "+gt": 41 } });
  });

  test.each([[null], [1e300], ["a new word"], [-1]])(
    "that shows an event with the id %j lets everything be polled, and heeds those that come later",
    async (id) => {
      const { cloud, observer, clock, woken } = await following();
      cloud.collections.set(disks.path, []);
      await observer.snapshot(disks);
      observer.depend("disk", [{ collection: disks, id: "7" }]);
      cloud.requests.length = 0;
      cloud.collections.set(EVENTS, [{ ...event(41, "finished", 9), id }]);
      await clock.advance(70_000);
      expect(cloud.requests).toContain(`LIST ${disks.path}`);
      cloud.collections.set(instances.path, rows(2, "offline"));
      cloud.collections.set(EVENTS, [event(42, "finished")]);
      await clock.advance(10_000);
      expect(woken).toContain("one");
      expect(cloud.filters.at(-1)).not.toMatchObject({ id: { "+gt": id } });
    },
  );

  test("is not read while the token may not, or nobody needs it", async () => {
    let may = false;
    const { cloud, clock, observer } = arrange({ canReadEvents: () => may });
    observer.depend("one", [{ collection: instances, id: "1" }]);
    await clock.advance(30_000);
    may = true;
    observer.forget("one");
    await clock.advance(30_000);
    expect(cloud.requests.filter((request) => request.includes(EVENTS))).toEqual([]);
  });
});
