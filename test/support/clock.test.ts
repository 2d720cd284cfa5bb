import { expect, it } from "vitest";
import { createMovedClock } from "./clock.ts";

it("calls back in order of time, not of scheduling, and shows each callback its own moment", async () => {
  const clock = createMovedClock();
  const start = clock.now();
  const seen: [string, number][] = [];
  clock.schedule(20, () => seen.push(["late", clock.now() - start]));
  clock.schedule(10, () => seen.push(["early", clock.now() - start]));
  await clock.advance(15);
  expect(seen).toEqual([["early", 10]]);
  await clock.advance(5);
  expect(seen).toEqual([
    ["early", 10],
    ["late", 20],
  ]);
  expect(clock.date().toISOString()).toBe("2026-01-01T00:00:00.020Z");
});

it("lets promises settle between callbacks, and runs what they schedule within the same advance", async () => {
  const clock = createMovedClock();
  const seen: string[] = [];
  clock.schedule(10, () => {
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => clock.schedule(10, () => seen.push("second")));
  });
  await clock.advance(20);
  expect(seen).toEqual(["second"]);
});

it("does not call back what was cancelled", async () => {
  const clock = createMovedClock();
  const cancel = clock.schedule(10, () => expect.fail("was cancelled"));
  cancel();
  await clock.advance(100);
  expect(clock.waiting()).toBe(0);
});
