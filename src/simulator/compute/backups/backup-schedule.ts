import { DAY_MS, HOUR_MS } from "../../server/clock.ts";
import type { JobKind, World } from "../../server/world.ts";
import { isBusy } from "../actions/instance-action.ts";
import { INSTANCES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";
import { startBackup } from "./backup-actions.ts";

/** Shown until the service has chosen a day or a window (part 2 section 2.3). */
export const SCHEDULING = "Scheduling";
export const BACKUP_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
export const BACKUP_WINDOWS = ["W0", "W2", "W4", "W6", "W8", "W10", "W12", "W14", "W16", "W18", "W20", "W22"] as const;

const CHOOSING_SECONDS = 20;
/** Chooses the day and the window that no request has set. */
const CHOOSE: JobKind = {
  name: "backup_choose",
  run(world, account, { instance: id }) {
    const instance = world.store.get(INSTANCES, account, Number(id));
    if (!instance?.backups.enabled) return;
    const { day, window } = instance.backups;
    scheduleBackups(world, account, instance, {
      day: day === SCHEDULING ? (BACKUP_DAYS[instance.id % BACKUP_DAYS.length] ?? null) : day,
      window: window === SCHEDULING ? (BACKUP_WINDOWS[instance.id % BACKUP_WINDOWS.length] ?? null) : window,
    });
  },
};

/** Makes the weekly backup. Waits if another job runs on the instance. */
const WEEKLY: JobKind = {
  name: "backup_weekly",
  run(world, account, { instance: id }) {
    const instance = world.store.get(INSTANCES, account, Number(id));
    if (!instance?.backups.enabled) return;
    if (isBusy(world, account, instance))
      return keepSchedule(world, account, instance, world.jobs.plan(WEEKLY.name, account, 60_000, { instance: id }));
    scheduleBackups(world, account, instance, instance.backups);
    const planned = world.store.get(INSTANCES, account, instance.id) ?? instance;
    startBackup(world, account, planned, { type: "automatic", label: null });
  },
};

export const BACKUP_SCHEDULE_JOBS: readonly JobKind[] = [CHOOSE, WEEKLY];

/** Turns on weekly backups. The service soon chooses a day and a window if the request set none. */
export function enableBackups(world: World, account: string, instance: Readonly<InstanceRow>): InstanceRow {
  const { day, window } = instance.backups;
  const enabled = { ...instance, backups: { ...instance.backups, enabled: true } };
  return scheduleBackups(world, account, enabled, { day: day ?? SCHEDULING, window: window ?? SCHEDULING });
}

/** Turns off weekly backups and cancels the planned job. */
export function disableBackups(world: World, account: string, instance: Readonly<InstanceRow>): InstanceRow {
  if (instance.backups.job !== null) world.jobs.cancel(instance.backups.job);
  const backups = { enabled: false, day: null, window: null, job: null };
  return world.store.put(INSTANCES, account, { ...instance, backups });
}

/** Sets day and window. If backups are on, plans the next job. */
export function scheduleBackups(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  wanted: { readonly day: string | null; readonly window: string | null },
): InstanceRow {
  const { enabled, job: before } = instance.backups;
  const { day, window } = wanted;
  if (before !== null) world.jobs.cancel(before);
  const job = enabled ? planNext(world, account, instance.id, wanted) : null;
  return world.store.put(INSTANCES, account, { ...instance, backups: { enabled, day, window, job } });
}

function planNext(
  world: World,
  account: string,
  instance: number,
  { day, window }: { readonly day: string | null; readonly window: string | null },
): number {
  const weekday = BACKUP_DAYS.findIndex((name) => name === day);
  const hour = Number(window?.slice(1));
  if (weekday < 0 || !Number.isInteger(hour))
    return world.jobs.plan(CHOOSE.name, account, world.clock.duration(CHOOSING_SECONDS), { instance });
  const now = world.clock.now();
  return world.jobs.plan(WEEKLY.name, account, nextStart(now, weekday, hour) - now, { instance });
}

/** Returns the next start (UTC) of this hour on this weekday. The time scale does not shorten the calendar of weekly backups. */
function nextStart(now: number, weekday: number, hour: number): number {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const ahead = (weekday - new Date(now).getUTCDay() + 7) % 7;
  const start = midnight + ahead * DAY_MS + hour * HOUR_MS;
  return start > now ? start : start + 7 * DAY_MS;
}

function keepSchedule(world: World, account: string, instance: Readonly<InstanceRow>, job: number): void {
  world.store.put(INSTANCES, account, { ...instance, backups: { ...instance.backups, job } });
}
