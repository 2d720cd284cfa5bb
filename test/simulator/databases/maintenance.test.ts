import { expect, test } from "vitest";
import { nextWindow } from "../../../src/simulator/databases/maintenance.ts";
import { running } from "../running.ts";
import { activeDatabase } from "./database.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEKLY = { frequency: "weekly", day_of_week: 7, hour_of_day: 0, duration: 3, week_of_month: null } as const;

test("part 1 section 4.1 rule 3: in each window the database is patched, and its engine keeps its version", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  const { version } = await simulator.ok("GET", path);
  const status = async () => (await simulator.ok("GET", path))["status"];
  // The clock begins on a Thursday; a new window is Sunday at midnight.
  for (const wait of [Date.UTC(2026, 0, 4) - simulator.control.clock.now(), 7 * DAY - 5 * MINUTE]) {
    await simulator.clock.advance(wait - 1);
    expect(await status()).toBe("active");
    await simulator.clock.advance(1);
    expect(await status()).toBe("updating");
    await simulator.clock.advance(5 * MINUTE);
    expect(await status()).toBe("active");
  }
  await simulator.ok("PUT", path, { version: "8.0.99", engine: "mysql/5.7.44" });
  expect(await simulator.ok("GET", path)).toMatchObject({ version, engine: "mysql" });
});

test("a changed window takes the place of the one before", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  await simulator.ok("PUT", path, { updates: { day_of_week: 5, hour_of_day: 6 } });
  await simulator.clock.advance(Date.UTC(2026, 0, 2, 6) - simulator.control.clock.now());
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "updating" });
  await simulator.clock.advance(Date.UTC(2026, 0, 4) - simulator.control.clock.now());
  expect(await simulator.ok("GET", path)).toMatchObject({ status: "active" });
});

test.each([
  { updates: WEEKLY, from: [2026, 0, 1], to: [2026, 0, 4], why: "the next Sunday" },
  { updates: WEEKLY, from: [2026, 0, 4], to: [2026, 0, 11], why: "the one after, when it begins now" },
  { updates: { ...WEEKLY, day_of_week: 1, hour_of_day: 23 }, from: [2026, 0, 5], to: [2026, 0, 5, 23], why: "today" },
  {
    updates: { ...WEEKLY, frequency: "monthly", day_of_week: 2, week_of_month: 1 },
    from: [2026, 0, 7],
    to: [2026, 1, 3],
    why: "the first Tuesday of the next month",
  },
  {
    updates: { ...WEEKLY, frequency: "monthly", day_of_week: 4, week_of_month: 4 },
    from: [2026, 0, 1],
    to: [2026, 0, 22],
    why: "the fourth Thursday",
  },
] as const)("a window begins on $why", ({ updates, from, to }) => {
  const moment = (parts: readonly number[]) => Date.UTC(parts[0] ?? 0, parts[1] ?? 0, parts[2], parts[3] ?? 0);
  expect(nextWindow(updates, moment(from))).toBe(moment(to));
});
