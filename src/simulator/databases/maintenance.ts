import { DAY_MS, HOUR_MS } from "../server/clock.ts";
import type { JobKind, World } from "../server/world.ts";
import { databaseJob, startDatabaseAction } from "./database-action.ts";
import type { DatabaseAction } from "./database-action.ts";
import { DATABASES } from "./tables.ts";
import type { DatabaseRow, Updates } from "./tables.ts";

/** Applies security patches of the operating system. The version of the engine stays (part 1 section 4.1 rule 3). */
export const PATCH: DatabaseAction = { name: "database_patch", status: "updating", seconds: 5 * 60 };

/** Patches an active database at the start of the window, and plans the next window. */
const MAINTENANCE: JobKind = {
  name: "database_maintenance",
  run(world, account, { database: id, at }) {
    const database = world.store.get(DATABASES, account, Number(id));
    if (!database || database.maintenanceAt !== at) return;
    const planned = planMaintenance(world, account, database);
    if (planned.status === "active") startDatabaseAction(world, account, planned, PATCH);
  },
};

export const MAINTENANCE_JOBS: readonly JobKind[] = [databaseJob(PATCH), MAINTENANCE];

/** Plans the next window and replaces the previous plan. The time scale does not shorten the calendar. */
export function planMaintenance(world: World, account: string, database: Readonly<DatabaseRow>): DatabaseRow {
  const now = world.clock.now();
  const maintenanceAt = nextWindow(database.updates, now);
  world.jobs.plan(MAINTENANCE.name, account, maintenanceAt - now, { database: database.id, at: maintenanceAt });
  return world.store.put(DATABASES, account, { ...database, maintenanceAt });
}

/** Returns the next start (UTC) of the window after `now` (not-shown section 2). */
export function nextWindow(updates: Updates, now: number): number {
  const { day_of_week: day, hour_of_day: hour, week_of_month: week } = updates;
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  for (let days = 0; ; days += 1) {
    const start = midnight + days * DAY_MS + hour * HOUR_MS;
    const date = new Date(start);
    // Sunday is 7 in a window, and 0 in a Date.
    const isDay = date.getUTCDay() === day % 7;
    const isWeek = week === null || Math.ceil(date.getUTCDate() / 7) === week;
    if (start > now && isDay && isWeek) return start;
  }
}
