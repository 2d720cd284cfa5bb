import { expect, test } from "vitest";
import { createServiceClock } from "../../src/api/service-clock.ts";
import { createMovedClock } from "../support/clock.ts";

test("whole seconds in headers never make the cloud's time run backwards", async () => {
  const clock = createMovedClock();
  const service = createServiceClock(clock);
  service.heard("Thu, 01 Jan 2026 00:00:00 GMT");
  await clock.advance(900);
  service.heard("Thu, 01 Jan 2026 00:00:00 GMT");
  expect(service.now().toISOString()).toBe("2026-01-01T00:00:00.900Z");
  await clock.advance(50);
  service.heard("Thu, 01 Jan 2026 00:00:01 GMT");
  expect(service.now().toISOString()).toBe("2026-01-01T00:00:01.000Z");
});

test("a service clock that was set back is followed, and a header that is no date changes nothing", async () => {
  const clock = createMovedClock();
  const service = createServiceClock(clock);
  service.heard("Thu, 01 Jan 2026 01:00:00 GMT");
  service.heard("Thu, 01 Jan 2026 00:00:00 GMT");
  service.heard(undefined);
  service.heard("soon");
  await clock.advance(1_000);
  expect(service.now().toISOString()).toBe("2026-01-01T00:00:01.000Z");
});

test("what one answer says alone, far from all others, is not believed: not even the first", () => {
  const clock = createMovedClock();
  const service = createServiceClock(clock);
  const today = clock.date().toUTCString();
  const odd = ["Thu, 01 Jan 2099 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"];
  for (const date of [...odd, today, ...odd, ...odd, today, odd[0], odd[0], today]) {
    service.heard(date);
    expect(Math.abs(service.now().getTime() - clock.date().getTime())).toBeLessThan(2_000);
  }
});

test("what several answers in a row say is believed, though it is far from our own clock", () => {
  const service = createServiceClock(createMovedClock());
  for (const second of [1, 2, 3]) service.heard(`Thu, 01 Jan 2099 00:00:0${second} GMT`);
  expect(service.now().toISOString()).toBe("2099-01-01T00:00:03.000Z");
});
