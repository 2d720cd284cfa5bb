import { expect, test } from "vitest";
import { Store } from "../../../../src/simulator/server/store/store.ts";
import type { Table } from "../../../../src/simulator/server/store/store.ts";

interface Row {
  id: number;
  label: string;
  tags: string[];
}

const TABLE: Table<Row> = {
  name: "thing",
  key: (row) => row.id,
  indexes: { label: (row) => row.label, tags: (row) => row.tags },
};

let labelsRead = 0;
const COUNTED: Table<Row> = {
  ...TABLE,
  indexes: {
    label: (row) => {
      labelsRead += 1;
      return row.label;
    },
  },
};

function filled(): Store {
  const store = new Store(":memory:", () => 0, [TABLE]);
  for (const id of [1, 2, 3]) store.put(TABLE, "a", { id, label: `Label-${id}`, tags: ["all", `tag-${id}`] });
  return store;
}

const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

test("rows are found by a text without case, and by each item of a list, oldest first", () => {
  const store = filled();
  expect(ids(store.find(TABLE, "a", "label", "label-2"))).toEqual([2]);
  expect(ids(store.find(TABLE, "a", "tags", "all"))).toEqual([1, 2, 3]);
  expect(store.find(TABLE, "other", "tags", "all")).toEqual([]);
});

test("an index follows changes, removals and new rows, and keeps the order of creation", () => {
  const store = filled();
  expect(ids(store.find(TABLE, "a", "tags", "all"))).toEqual([1, 2, 3]);
  store.patch(TABLE, "a", 1, { label: "moved", tags: ["tag-1"] });
  store.patch(TABLE, "a", 1, { tags: ["tag-1", "all"] });
  store.remove(TABLE, "a", 2);
  store.put(TABLE, "a", { id: 4, label: "new", tags: ["all"] });
  expect(ids(store.find(TABLE, "a", "tags", "all"))).toEqual([1, 3, 4]);
  expect(ids(store.find(TABLE, "a", "label", "label-1"))).toEqual([]);
  store.change("thing", "a", 4, { label: "behind" });
  expect(ids(store.find(TABLE, "a", "label", "behind"))).toEqual([4]);
});

test("an index knows nothing of a transaction that failed", () => {
  const store = filled();
  expect(ids(store.find(TABLE, "a", "tags", "all"))).toEqual([1, 2, 3]);
  const fail = () =>
    store.transaction(() => {
      store.put(TABLE, "a", { id: 5, label: "lost", tags: ["all"] });
      store.remove(TABLE, "a", 1);
      throw new Error("undone");
    });
  expect(fail).toThrow("undone");
  expect(ids(store.find(TABLE, "a", "tags", "all"))).toEqual([1, 2, 3]);
});

test("rows of one key keep the order of creation, whichever of them gets the key later", () => {
  const store = new Store(":memory:", () => 0, [TABLE]);
  for (const id of [1, 2, 3, 4, 5, 6]) store.put(TABLE, "a", { id, label: "", tags: [] });
  for (const id of [4, 1, 6, 2, 5, 3]) store.patch(TABLE, "a", id, { tags: ["late"] });
  store.patch(TABLE, "a", 4, { label: "renamed" });
  store.patch(TABLE, "a", 2, { tags: [] });
  const found = store.find(TABLE, "a", "tags", "late");
  expect(ids(found)).toEqual([1, 3, 4, 5, 6]);
  expect(found[2]?.label).toBe("renamed");
});

test.each([
  { why: "after it was stored", prepare: () => {} },
  { why: "after a restart", prepare: (store: Store) => store.restore(store.dump()) },
  {
    why: "after a failed transaction removed it",
    prepare: (store: Store) => {
      const fail = () =>
        store.transaction(() => {
          store.remove(COUNTED, "a", 1);
          throw new Error("undone");
        });
      expect(fail).toThrow("undone");
    },
  },
])("the first search by an index reads no row, $why", ({ prepare }) => {
  const store = new Store(":memory:", () => 0, [COUNTED]);
  for (let id = 1; id <= 50; id += 1) store.put(COUNTED, "a", { id, label: `label-${id}`, tags: [] });
  prepare(store);
  labelsRead = 0;
  expect(ids(store.find(COUNTED, "a", "label", "label-1"))).toEqual([1]);
  expect(labelsRead).toBe(0);
});

test("a search by an index that was not declared is refused", () => {
  const store = new Store(":memory:", () => 0, []);
  expect(() => store.find(TABLE, "a", "label", "x")).toThrow("thing has no index label");
});
