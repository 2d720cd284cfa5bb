import { expect, it } from "vitest";
import { createRows } from "../../../src/observe/rows.ts";
import type { Snapshot } from "../../../src/observe/types.ts";
import { alikeIn } from "../../../src/core/model/alike.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";

/** A kind whose rows show a name in capitals, and what it was asked for. */
function arrange(names: string[]) {
  const asked = { rows: 0 };
  const have = (row: JsonObject) => {
    asked.rows += 1;
    return (row["name"] as string).toUpperCase();
  };
  const fields = {
    name: { desired: () => "", observed: have, key: true },
    tags: { desired: () => [], observed: (row: JsonObject) => row["tags"] ?? [], key: true },
  };
  const kind = { fields } as unknown as Kind;
  const rows = createRows();
  const intake = rows.begin();
  for (const [id, name] of names.entries()) intake.take(String(id), { row: { name } });
  intake.end({ mark: rows.mark(), startedAt: 0, whole: true }, () => true);
  const ids = (key: JsonObject) => alikeIn(kind, rows.snapshot() as Snapshot)(key).map(([id]) => id);
  const put = (id: string, row: JsonObject | undefined) => rows.row(id, row && { row }, rows.mark());
  return { ids, put, asked };
}

it("alikeIn finds the rows that show the key in the normal form of the kind", () => {
  const { ids } = arrange(["a", "b", "a "]);
  expect(ids({ name: "A" })).toEqual(["0", "2"]);
  expect(ids({ name: "a" })).toEqual(["0", "2"]);
  expect(ids({ name: "c" })).toEqual([]);
});

it("what was written since the list is found, and what was changed or removed is not", () => {
  const { ids, put } = arrange(["a", "b"]);
  expect(ids({ name: "C" })).toEqual([]);
  put("7", { name: "c" });
  put("0", { name: "d" });
  put("1", undefined);
  expect([ids({ name: "C" }), ids({ name: "D" }), ids({ name: "A" }), ids({ name: "B" })]).toEqual([
    ["7"],
    ["0"],
    [],
    [],
  ]);
});

it("lists are compared as JSON, among the rows that show the rest", () => {
  const { ids, put } = arrange(["a"]);
  put("0", { name: "a", tags: ["x"] });
  expect(ids({ name: "A", tags: ["x"] })).toEqual(["0"]);
  expect(ids({ name: "A", tags: ["y"] })).toEqual([]);
});

it("a thousand keys read a thousand rows a few times each, and not a thousand times", () => {
  const count = 1_000;
  const { ids, put, asked } = arrange(Array.from({ length: count }, (_, index) => `row-${index}`));
  for (let index = 0; index < count; index += 1) {
    ids({ name: `NEW-${index}` });
    put(`new-${index}`, { name: `new-${index}` });
  }
  expect(asked.rows).toBeLessThanOrEqual(3 * count);
});
