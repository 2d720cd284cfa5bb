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

function filled(): Store {
  const store = new Store(":memory:", () => 0);
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
