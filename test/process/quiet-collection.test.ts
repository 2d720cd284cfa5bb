import { expect, it } from "vitest";
import { collectWhenQuiet } from "../../src/process/quiet-collection.ts";
import { createMovedClock } from "../support/clock.ts";

const mib = 2 ** 20;

/** A heap of which 40 MiB are in use, and whatever a test adds. */
function arrange() {
  const clock = createMovedClock();
  const heap = { used: 40 * mib, bytes: 60 * mib, busy: 0, collections: 0 };
  const collect = (): void => {
    heap.collections += 1;
    heap.bytes = heap.used;
  };
  const end = collectWhenQuiet({ clock, collect, heapBytes: () => heap.bytes, busy: () => heap.busy });
  const pass = (): Promise<void> => clock.advance(10_000);
  return { clock, heap, pass, end };
}

it("what is left after starting up, and after each burst, is collected once", async () => {
  const { heap, pass } = arrange();
  await pass();
  expect(heap.collections).toBe(1);
  for (let round = 0; round < 10; round += 1) await pass();
  expect(heap.collections).toBe(1);
  heap.bytes = 53 * mib;
  await pass();
  await pass();
  expect(heap.collections).toBe(2);
});

it("nothing is collected while something runs", async () => {
  const { heap, pass } = arrange();
  heap.busy = 0.5;
  await pass();
  expect(heap.collections).toBe(0);
  heap.busy = 0.02;
  await pass();
  expect(heap.collections).toBe(1);
});

it("a large heap is left to V8, which stops nothing for it", async () => {
  const { heap, pass } = arrange();
  heap.bytes = 300 * mib;
  await pass();
  expect(heap.collections).toBe(0);
});

it("what V8 has given back by itself counts as the least there was", async () => {
  const { heap, pass } = arrange();
  await pass();
  Object.assign(heap, { used: 20 * mib, bytes: 20 * mib });
  await pass();
  heap.bytes = 35 * mib;
  await pass();
  expect(heap.collections).toBe(2);
});

it("it ends, and does nothing in a process that may not collect", () => {
  const { clock, end } = arrange();
  end();
  expect(clock.waiting()).toBe(0);
  collectWhenQuiet({ clock, collect: undefined });
  expect(clock.waiting()).toBe(0);
});
