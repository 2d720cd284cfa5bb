import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../src/process/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("calls back once, and not when cancelled", () => {
  const seen: string[] = [];
  systemClock.schedule(10, () => seen.push("kept"));
  systemClock.schedule(10, () => seen.push("cancelled"))();
  vi.advanceTimersByTime(100);
  expect(seen).toEqual(["kept"]);
});

it("keeps a delay longer than a timer can hold, instead of firing at once", () => {
  const days = 86_400_000;
  let fired = false;
  systemClock.schedule(40 * days, () => (fired = true));
  vi.advanceTimersByTime(39 * days);
  expect(fired).toBe(false);
  vi.advanceTimersByTime(1 * days);
  expect(fired).toBe(true);
});

it("cancels a long delay in its second leg, too", () => {
  let fired = false;
  const cancel = systemClock.schedule(40 * 86_400_000, () => (fired = true));
  vi.advanceTimersByTime(30 * 86_400_000);
  cancel();
  vi.advanceTimersByTime(30 * 86_400_000);
  expect(fired).toBe(false);
});
