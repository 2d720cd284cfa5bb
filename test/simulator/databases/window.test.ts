import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { activeDatabase } from "./database.ts";

const WEEKLY = { frequency: "weekly", day_of_week: 1, hour_of_day: 4, duration: 1, week_of_month: null };
/** What nobody sends, and every window shows. */
const SHOWN = { ...WEEKLY, pending: [] };

test("the maintenance window is changed field by field", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  expect((await simulator.ok("PUT", path, { updates: WEEKLY }))["updates"]).toEqual(SHOWN);
  const monthly = { frequency: "monthly", week_of_month: 2 };
  expect((await simulator.ok("PUT", path, { updates: monthly }))["updates"]).toEqual({ ...SHOWN, ...monthly });
  expect((await simulator.ok("PUT", path, { updates: { duration: 2 } }))["updates"]).toEqual({
    ...SHOWN,
    ...monthly,
    duration: 2,
  });
});

test("not-shown section 2: week_of_month is null when the window becomes weekly", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  await simulator.ok("PUT", path, { updates: { frequency: "monthly", week_of_month: 4 } });
  expect((await simulator.ok("PUT", path, { updates: { frequency: "weekly" } }))["updates"]).toMatchObject({
    week_of_month: null,
  });
});

test.each([
  { updates: { frequency: "daily" }, field: "frequency", why: "weekly or monthly" },
  { updates: { day_of_week: 0 }, field: "day_of_week", why: "1 is Monday" },
  { updates: { day_of_week: 8 }, field: "day_of_week", why: "7 is Sunday" },
  { updates: { hour_of_day: -1 }, field: "hour_of_day", why: "0 to 23" },
  { updates: { hour_of_day: 24 }, field: "hour_of_day", why: "0 to 23" },
  { updates: { duration: 0 }, field: "duration", why: "1 to 3 hours" },
  { updates: { duration: 4 }, field: "duration", why: "1 to 3 hours" },
  { updates: { frequency: "monthly", week_of_month: 5 }, field: "week_of_month", why: "1 to 4" },
  { updates: { frequency: "monthly" }, field: "week_of_month", why: "a monthly window needs one" },
  { updates: { frequency: "weekly", week_of_month: 1 }, field: "week_of_month", why: "a weekly window has none" },
  { updates: { hour_of_day: "four" }, field: "hour_of_day", why: "an integer" },
])("not-shown section 2: the window refuses $field: $why", async ({ updates, field }) => {
  const simulator = await running();
  const reply = await simulator.call("PUT", await activeDatabase(simulator), { updates });
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, `updates.${field}`]);
});
