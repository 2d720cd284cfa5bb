/*
 * Work on long lists in slices: a generator yields after each slice, so that other requests are served between slices.
 */

/** Rows in one slice; 250 instances are presented and compared in a few milliseconds. */
export const SLICE = 250;

/** Maps and filters rows in slices. `keep` returns undefined for a row that is left out. */
export function* keptInSlices<Row, Kept>(
  rows: readonly Row[],
  keep: (row: Row) => Kept | undefined,
): Generator<undefined, Kept[]> {
  const kept: Kept[] = [];
  for (const [index, row] of rows.entries()) {
    const found = keep(row);
    if (found !== undefined) kept.push(found);
    if (index % SLICE === SLICE - 1) yield;
  }
  return kept;
}

/** Sorts in slices; items that compare as equal keep their order. */
export function* sortedInSlices<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Generator<undefined, Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += SLICE) {
    runs.push(items.slice(start, start + SLICE).toSorted(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergedInSlices(runs[index] ?? [], runs[index + 1] ?? [], compare));
      yield;
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInSlices<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Generator<undefined, Item[]> {
  const merged: Item[] = [];
  for (let [i, j] = [0, 0]; i < left.length || j < right.length;) {
    const isLeft = j >= right.length || (i < left.length && compare(left[i] as Item, right[j] as Item) <= 0);
    merged.push((isLeft ? left[i++] : right[j++]) as Item);
    if (merged.length % (10 * SLICE) === 0) yield;
  }
  return merged;
}

/** Runs all slices at once. */
export function atOnce<Result>(slices: Generator<undefined, Result>): Result {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}
