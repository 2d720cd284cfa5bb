import { describe, expect, test } from "vitest";
import type { Json } from "../../src/api/types.ts";
import { settle } from "../support/clock.ts";
import { arrange, broken, instances, rows } from "./cloud.ts";

const LIST = "LIST /compute/instances";

describe("a snapshot", () => {
  test("that 1,000 keys ask for at once costs one list", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.collections.set(instances.path, rows(3));
    const after = clock.now();
    const snapshots = await Promise.all(Array.from({ length: 1_000 }, () => observer.snapshot(instances, { after })));
    expect(cloud.requests).toEqual([LIST]);
    expect(snapshots.every((snapshot) => snapshot.rows.size === 3)).toBe(true);
    expect(snapshots[0]?.rows.get("1")).toEqual({ status: "running", label: null });
  });

  test("of any age is what is there", async () => {
    const { cloud, observer, clock } = arrange();
    await observer.snapshot(instances);
    await clock.advance(5_000);
    await observer.snapshot(instances);
    expect(cloud.requests).toEqual([LIST]);
  });

  test("asked for while an earlier read is under way comes from one that follows, shared by all later askers", async () => {
    const { cloud, observer, clock } = arrange();
    const release = cloud.hold();
    const early = observer.snapshot(instances, { after: clock.now() });
    await clock.advance(10);
    const late = [1, 2, 3].map(() => observer.snapshot(instances, { after: clock.now() }));
    await clock.advance(10);
    const later = observer.snapshot(instances, { after: clock.now() });
    await settle();
    expect(cloud.requests).toEqual([LIST]);
    cloud.collections.set(instances.path, rows(1));
    release();
    expect((await early).rows.size).toBe(0);
    expect((await Promise.all([...late, later])).map((snapshot) => snapshot.rows.size)).toEqual([1, 1, 1, 1]);
    expect(cloud.requests).toEqual([LIST, LIST]);
  });

  test("that ended after the time asked for but began before it does not count", async () => {
    const { cloud, observer, clock } = arrange();
    await observer.snapshot(instances);
    await clock.advance(1);
    await observer.snapshot(instances, { after: clock.now() });
    expect(cloud.requests).toEqual([LIST, LIST]);
  });

  test("fails for all who wait for it, and the read that follows is not harmed", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.failures.set(instances.path, broken(instances.path));
    const release = cloud.hold();
    const first = observer.snapshot(instances).then(String, String);
    await clock.advance(10);
    cloud.failures.clear();
    const second = observer.snapshot(instances, { after: clock.now() });
    release();
    expect(await first).toContain("500");
    expect((await second).rows.size).toBe(0);
  });

  test("is not replaced by a list that fails", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.collections.set(instances.path, rows(2));
    await observer.snapshot(instances);
    await clock.advance(1);
    cloud.failures.set(instances.path, broken(instances.path));
    await expect(observer.snapshot(instances, { after: clock.now() })).rejects.toThrow("500");
    cloud.failures.clear();
    expect((await observer.snapshot(instances)).rows.size).toBe(2);
  });

  test("may be given up by one asker without harm to the others", async () => {
    const { cloud, observer } = arrange();
    const release = cloud.hold();
    const ending = new AbortController();
    const one = observer.snapshot(instances, { signal: ending.signal }).then(String, String);
    const other = observer.snapshot(instances);
    ending.abort(new Error("stopped"));
    expect(await one).toContain("stopped");
    release();
    expect((await other).rows.size).toBe(0);
    expect(cloud.requests).toEqual([LIST]);
  });
});

describe("own writes", () => {
  test("made while a list is under way win over what the list returns", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.collections.set(instances.path, rows(3, "old"));
    const release = cloud.hold();
    const reading = observer.snapshot(instances, { after: clock.now() });
    await settle();
    observer.put(instances, "1", { status: "new", label: null });
    observer.put(instances, "2", undefined);
    observer.put(instances, "9", { status: "made", label: null });
    release();
    const { rows: seen } = await reading;
    const statuses = Object.fromEntries([...seen].map(([id, { status }]) => [id, status]));
    expect(statuses).toEqual({ 1: "new", 3: "old", 9: "made" });
  });

  test("give way to a list that began after them", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.collections.set(instances.path, rows(1, "cloud"));
    observer.put(instances, "1", { status: "mine", label: null });
    observer.put(instances, "2", { status: "mine", label: null });
    const { rows: seen } = await observer.snapshot(instances, { after: clock.now() });
    expect([...seen.values()].map(({ status }) => status)).toEqual(["cloud"]);
  });

  test("made while a single read is under way win over it too", async () => {
    const { cloud, observer } = arrange();
    cloud.collections.set(instances.path, rows(1, "old"));
    const release = cloud.hold();
    const reading = observer.read(instances, "1");
    await settle();
    observer.put(instances, "1", { status: "new", label: null });
    release();
    expect((await reading)?.["status"]).toBe("new");
  });

  test("wake who else lives by the row: the writer knows, and the next list shows the others nothing new", async () => {
    const { observer, clock, woken, cloud } = arrange();
    cloud.collections.set(instances.path, rows(1, "booting"));
    await observer.snapshot(instances);
    for (const key of ["writer", "other"]) observer.depend(key, [{ collection: instances, id: "1" }]);
    observer.put(instances, "1", { status: "running", label: null }, "writer");
    await clock.advance(1_000);
    expect(woken).toEqual(["other"]);
    observer.put(instances, "1", { status: "running", label: null }, "writer");
    await clock.advance(1_000);
    expect(woken).toEqual(["other"]);
  });
});

describe("a single row", () => {
  test("is confirmed by GET and merged into the snapshot", async () => {
    const { cloud, observer } = arrange();
    cloud.collections.set(instances.path, rows(1, "booting"));
    await observer.snapshot(instances);
    cloud.collections.set(instances.path, rows(1, "running"));
    expect((await observer.read(instances, "1"))?.["status"]).toBe("running");
    expect((await observer.snapshot(instances)).rows.get("1")?.["status"]).toBe("running");
    expect(cloud.requests).toEqual([LIST, "GET /compute/instances/1"]);
  });

  test("is undefined for a 404 and then out of the snapshot; any other error is thrown and changes nothing", async () => {
    const { cloud, observer } = arrange();
    cloud.collections.set(instances.path, rows(2));
    await observer.snapshot(instances);
    cloud.failures.set("/compute/instances/1", broken("/compute/instances/1"));
    await expect(observer.read(instances, "1")).rejects.toThrow("500");
    cloud.collections.set(instances.path, rows(1));
    expect(await observer.read(instances, "2")).toBeUndefined();
    expect([...(await observer.snapshot(instances)).rows.keys()]).toEqual(["1"]);
  });

  test.each<{ wholeInList: true | "only"; shown: Json; what: string }>([
    { wholeInList: true, shown: { id: 1 }, what: "a part of it" },
    { wholeInList: "only", shown: { data: [], page: 1, pages: 1, results: 0 }, what: "what it holds" },
  ])(
    "of which its own path shows $what is there as that says, and what it is as a list begun since says",
    async (one) => {
      const { cloud, observer, clock } = arrange();
      const whole = { ...instances, wholeInList: one.wholeInList };
      cloud.collections.set(instances.path, rows(2, "booting"));
      await observer.snapshot(whole);
      cloud.collections.set(instances.path, rows(1, "running"));
      cloud.details.set("/compute/instances/1", one.shown);
      expect((await observer.read(whole, "1", { after: clock.now() }))?.["status"]).toBe("running");
      expect(await observer.read(whole, "2", { after: clock.now() })).toBeUndefined();
    },
  );

  test("that its own path shows and the list does not is neither there nor gone", async () => {
    const { cloud, observer } = arrange();
    cloud.details.set("/compute/instances/1", { id: 1 });
    await expect(observer.read({ ...instances, wholeInList: true }, "1")).rejects.toThrow(
      "the list does not have the row",
    );
  });

  test("that many ask for is read once, and again for those who came later", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.collections.set(instances.path, rows(1));
    const release = cloud.hold();
    const reads = [1, 2].map(() => observer.read(instances, "1", { after: clock.now() }));
    await clock.advance(1);
    reads.push(observer.read(instances, "1", { after: clock.now() }));
    release();
    await Promise.all(reads);
    expect(cloud.requests).toHaveLength(2);
  });
});

describe("a list of hundreds", () => {
  test("is read in several turns, and what was written between two of them is newer than it", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.collections.set(instances.path, rows(2_000));
    let turns = 0;
    clock.turn = () => {
      turns += 1;
      observer.put(instances, "1", { status: "deleting", label: null });
      observer.put(instances, "2000", undefined);
      return Promise.resolve();
    };
    const snapshot = await observer.snapshot(instances);
    expect(turns).toBe(2);
    expect(snapshot.rows.size).toBe(1_999);
    expect(snapshot.rows.get("1")).toEqual({ status: "deleting", label: null });
    expect(snapshot.rows.get("1999")).toEqual({ status: "running", label: null });
  });

  test("keeps the rows that are as they were, and wakes only those whose rows are not", async () => {
    const { cloud, observer, clock, woken } = arrange();
    for (const id of ["7", "8"]) observer.depend(`SSHKey/a/${id}`, [{ collection: instances, id }]);
    cloud.collections.set(instances.path, rows(250));
    const before = await observer.snapshot(instances);
    woken.length = 0;
    await clock.advance(1);
    cloud.collections.set(instances.path, rows(250).with(7, { id: 8, status: "offline" }));
    const after = await observer.snapshot(instances, { after: clock.now() });
    expect(after.rows.get("7")).toBe(before.rows.get("7"));
    expect(after.rows.get("8")).toEqual({ status: "offline", label: null });
    expect(woken).toEqual(["SSHKey/a/8"]);
  });
});
