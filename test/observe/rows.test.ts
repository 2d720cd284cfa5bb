import { expect, it } from "vitest";
import { createRows, type Rows } from "../../src/observe/rows.ts";

function list(rows: Rows, ids: string[], mark = rows.mark()): string[] {
  const intake = rows.begin();
  for (const id of ids) intake.take(id, { row: { id } });
  return intake.end({ mark, startedAt: 0, whole: true }, () => true).missing;
}

it("a row is gone where its path says so, though a list that lacks it as well began later and ended first", () => {
  const rows = createRows();
  list(rows, ["1"]);
  expect(list(rows, [])).toEqual(["1"]);
  const asked = rows.mark();
  expect(list(rows, [])).toEqual(["1"]);
  expect(rows.row("1", undefined, asked)).toBe(true);
  expect(rows.get("1")).toBeUndefined();
});

it("a row stays where a list that shows it began later than its path was asked", () => {
  const rows = createRows();
  list(rows, ["1"]);
  const asked = rows.mark();
  list(rows, ["1"]);
  expect(rows.row("1", undefined, asked)).toBe(false);
  expect(rows.get("1")).toEqual({ row: { id: "1" } });
});

it("rows stand in the order of their list, whatever was read of them while it was on its way", () => {
  const rows = createRows();
  list(rows, ["1", "2", "3"]);
  const begun = rows.mark();
  rows.row("3", { row: { id: "3", label: "changed" } }, rows.mark());
  rows.row("4", { row: { id: "4" } }, rows.mark());
  list(rows, ["1", "2", "3"], begun);
  expect([...(rows.snapshot()?.rows.keys() ?? [])]).toEqual(["1", "2", "3", "4"]);
  expect(rows.get("3")).toEqual({ row: { id: "3", label: "changed" } });
});

it("what was told of a row while its list was taken in is compared with the list", () => {
  const rows = createRows();
  const before = rows.mark();
  const mark = rows.mark();
  const intake = rows.begin();
  for (const id of ["1", "2", "3"]) intake.take(id, { row: { id } });
  // Asked for before the list, and answered after its rows were taken in: the list is newer.
  rows.row("1", { row: { id: "1", label: "old" } }, before);
  rows.row("2", { row: { id: "2" } }, before);
  // …and after it began: newer than the list.
  rows.row("3", { row: { id: "3", label: "new" } }, rows.mark());
  rows.row("4", { row: { id: "4" } }, rows.mark());
  const { changed, missing } = intake.end({ mark, startedAt: 0, whole: true }, () => true);
  expect([changed, missing]).toEqual([["1"], []]);
  expect(["1", "2", "3", "4"].map((id) => rows.get(id))).toEqual([
    { row: { id: "1" } },
    { row: { id: "2" } },
    { row: { id: "3", label: "new" } },
    { row: { id: "4" } },
  ]);
});

it("an answer that a row is gone is older than one that shows it, though the lists after both lack it", () => {
  const rows = createRows();
  list(rows, ["1"]);
  const asked = rows.mark();
  list(rows, []);
  rows.row("1", { row: { id: "1" } }, rows.mark());
  list(rows, []);
  expect(rows.row("1", undefined, asked)).toBe(false);
  expect(rows.get("1")).toEqual({ row: { id: "1" } });
});

it("rows are found by their text, one or several, also those that came after the first question", () => {
  const rows = createRows();
  const textOf = (row: object): string => ("label" in row ? String(row.label) : "none");
  list(rows, ["1", "2", "3"]);
  const find = (text: string): string[] => rows.snapshot()?.find(textOf, text).toSorted() ?? [];
  expect([find("none"), find("a")]).toEqual([["1", "2", "3"], []]);
  for (const id of ["4", "4", "5", "6"]) rows.row(id, { row: { id, label: "a" } }, rows.mark());
  expect(find("a")).toEqual(["4", "5", "6"]);
  rows.row("7", { row: { id: "7", label: "b" } }, rows.mark());
  rows.row("7", { row: { id: "7", label: "b", changed: true } }, rows.mark());
  expect(find("b")).toEqual(["7"]);
});
