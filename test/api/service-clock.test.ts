import { expect, test } from "vitest";
import { createServiceClock } from "../../src/api/service-clock.ts";
import { createMovedClock } from "../support/clock.ts";

test("whole seconds in headers never make the cloud's time run backwards", async () => {
  const clock = createMovedClock();
  const service = createServiceClock(clock);
  service.heard("Sun, 22 Nov 2026 10:00:00 GMT");
  await clock.advance(900);
  service.heard("Sun, 22 Nov 2026 10:00:00 GMT");
  expect(service.now().toISOString()).toBe("2026-11-22T10:00:00.900Z");
  await clock.advance(50);
  service.heard("Sun, 22 Nov 2026 10:00:01 GMT");
  expect(service.now().toISOString()).toBe("2026-11-22T10:00:01.000Z");
});

test("a service clock that was set back is followed, and a header that is no date changes nothing", async () => {
  const clock = createMovedClock();
  const service = createServiceClock(clock);
  service.heard("Sun, 22 Nov 2026 10:00:00 GMT");
  service.heard("Sun, 22 Nov 2026 09:00:00 GMT");
  service.heard(undefined);
  service.heard("soon");
  await clock.advance(1_000);
  expect(service.now().toISOString()).toBe("2026-11-22T09:00:01.000Z");
});
