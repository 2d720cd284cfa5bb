import { randomBytes } from "node:crypto";
import { endEvent } from "../server/events.ts";
import type { JobKind, World } from "../server/world.ts";
import { planDailyBackup } from "./backup-jobs.ts";
import { databaseJob } from "./database-action.ts";
import type { DatabaseAction } from "./database-action.ts";
import { planMaintenance } from "./maintenance.ts";
import { DATABASES } from "./tables.ts";
import type { DatabaseRow } from "./tables.ts";

/** Provisions a database. The end sets the credentials (part 1 section 3), and plans backups and maintenance. */
export const PROVISION: DatabaseAction = {
  name: "database_provision",
  status: "provisioning",
  seconds: 15 * 60,
  finish(world, account, database) {
    planDailyBackup(world, account, database.id);
    if (database.event) endEvent(world, account, database.event, "finished");
    const { maintenanceAt } = planMaintenance(world, account, database);
    return { ...(maintenanceAt !== undefined && { maintenanceAt }), password: newPassword(), event: null };
  },
};

/** Applies an allow list to all nodes, which takes a short time (part 1 section 4.1 rule 4). */
export const UPDATE_ALLOW_LIST: DatabaseAction = { name: "database_allow_list", status: "updating", seconds: 20 };

export const RESTORE_DATABASE: DatabaseAction = { name: "database_restore", status: "restoring", seconds: 10 * 60 };

const RESET_PASSWORD: JobKind = {
  name: "database_credentials_reset",
  run(world, account, { database }) {
    if (!world.store.get(DATABASES, account, Number(database))) return;
    world.store.patch(DATABASES, account, Number(database), { password: newPassword() });
  },
};

export const DATABASE_JOBS: readonly JobKind[] = [
  ...[PROVISION, UPDATE_ALLOW_LIST, RESTORE_DATABASE].map(databaseJob),
  RESET_PASSWORD,
];

/** Returns 15 to 30 minutes in seconds. The value differs by database and is reproducible. */
export function provisioningSeconds(id: number): number {
  return PROVISION.seconds + ((id * 433) % 901);
}

/** Plans a new password in ten seconds (not-shown section 2). */
export function planNewPassword(world: World, account: string, database: Readonly<DatabaseRow>): void {
  world.jobs.plan(RESET_PASSWORD.name, account, world.clock.duration(10), { database: database.id });
}

function newPassword(): string {
  return randomBytes(18).toString("base64url");
}
