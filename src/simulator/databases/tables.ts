import type { Table } from "../server/store/store.ts";

export type DatabaseStatus =
  | "provisioning"
  | "active"
  | "suspending"
  | "suspended"
  | "resuming"
  | "restoring"
  | "failed"
  | "degraded"
  | "updating"
  | "backing_up";

/** The maintenance window (not-shown section 2). */
export interface Updates {
  readonly frequency: "weekly" | "monthly";
  /** 1 is Monday. */
  readonly day_of_week: number;
  /** UTC. */
  readonly hour_of_day: number;
  /** Hours. */
  readonly duration: number;
  /** Null for a weekly window. */
  readonly week_of_month: number | null;
}

export interface DatabaseRow {
  readonly id: number;
  readonly label: string;
  readonly engine: "mysql";
  readonly version: string;
  readonly region: string;
  readonly type: string;
  readonly cluster_size: 1 | 3;
  readonly replication_type: "none" | "asynch" | "semi_synch";
  readonly encrypted: boolean;
  readonly ssl_connection: boolean;
  readonly allow_list: readonly string[];
  readonly updates: Updates;
  readonly status: DatabaseStatus;
  readonly port: number;
  /** Settings of the engine as sent, a newer field of the service. */
  readonly engine_config?: Readonly<Record<string, unknown>>;
  readonly username: string;
  /** Null until the end of provisioning. */
  readonly password: string | null;
  readonly created: number;
  readonly updated: number;
  /** Number of the job that changes the status. Null without a job. */
  readonly run: number | null;
  /** ID of the provisioning event, until the end of provisioning. */
  readonly event?: number | null;
  /** Start of the next maintenance window. Absent until the end of provisioning. */
  readonly maintenanceAt?: number;
}

export interface DatabaseBackupRow {
  readonly id: number;
  readonly database: number;
  readonly type: "snapshot" | "auto";
  readonly label: string;
  readonly created: number;
}

export const DATABASES: Table<DatabaseRow> = {
  name: "database",
  key: (row) => row.id,
  indexes: { label: (row) => row.label },
};
export const DATABASE_BACKUPS: Table<DatabaseBackupRow> = {
  name: "database-backup",
  key: (row) => row.id,
  parent: (row) => row.database,
};

export interface EngineRow {
  readonly id: string;
  readonly engine: string;
  readonly version: string;
}

export const ENGINES: Table<EngineRow> = { name: "engine", key: (row) => row.id };
