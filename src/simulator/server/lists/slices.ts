/* Splits work on long lists. A generator yields after each slice, and the simulator serves other requests between slices. */

/** Rows in one slice. Presenting and comparing 250 instances takes a few milliseconds. */
export const SLICE = 250;

/** Maps and filters rows in slices. `keep` returns undefined to omit a row. */
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

/** Sorts in slices. Equal items keep the order. */
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

/** Runs all slices without a pause. */
export function atOnce<Result>(slices: Generator<undefined, Result>): Result {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}
