import { DAY_MS } from "../server/clock.ts";
import { timestamp } from "../server/wire.ts";
import type { JobKind, World } from "../server/world.ts";
import { databaseJob, startDatabaseAction } from "./database-action.ts";
import type { DatabaseAction } from "./database-action.ts";
import { DATABASES, DATABASE_BACKUPS } from "./tables.ts";
import type { DatabaseBackupRow } from "./tables.ts";

/** Number of daily backups to keep (part 1 section 4.1 rule 2). */
const KEPT = 7;

/** Backs up a database. The payload has `type` and `label`. The list shows the backup at the end. */
export const BACK_UP: DatabaseAction = {
  name: "database_back_up",
  status: "backing_up",
  seconds: 2 * 60,
  finish(world, account, database, payload) {
    const id = world.store.nextId("database-backup");
    const type = payload["type"] === "auto" ? "auto" : "snapshot";
    const row = {
      id,
      database: database.id,
      type,
      label: String(payload["label"]),
      created: world.clock.now(),
    } as const;
    world.store.put(DATABASE_BACKUPS, account, row);
    dropOldest(world, account, database.id);
    return {};
  },
};

/** Backs up an active database and plans the backup of the next day. A database in another status skips the day. */
const DAILY_BACKUP: JobKind = {
  name: "database_daily_backup",
  run(world, account, payload) {
    const database = world.store.get(DATABASES, account, Number(payload["database"]));
    if (!database) return;
    if (database.status === "active") {
      const label = `auto ${timestamp(world.clock.now())}`;
      startDatabaseAction(world, account, database, BACK_UP, { payload: { type: "auto", label } });
    }
    planDailyBackup(world, account, database.id);
  },
};

export const DATABASE_BACKUP_JOBS: readonly JobKind[] = [databaseJob(BACK_UP), DAILY_BACKUP];

/** Plans a backup in 24 hours. The time scale does not shorten the day. */
export function planDailyBackup(world: World, account: string, database: number): void {
  world.jobs.plan(DAILY_BACKUP.name, account, DAY_MS, { database });
}

/** Returns the backups of a database, oldest first. */
export function backupsOf(world: World, account: string, database: number): readonly DatabaseBackupRow[] {
  return world.store.children(DATABASE_BACKUPS, account, database);
}

function dropOldest(world: World, account: string, database: number): void {
  const automatic = backupsOf(world, account, database).filter(({ type }) => type === "auto");
  for (const { id } of automatic.slice(0, -KEPT)) world.store.remove(DATABASE_BACKUPS, account, id);
}
