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
  /** Null exactly for a weekly window. */
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
  /** Settings of the engine as they were given; younger than the interface. */
  readonly engine_config?: Readonly<Record<string, unknown>>;
  readonly username: string;
  /** Null until it is provisioned. */
  readonly password: string | null;
  readonly created: number;
  readonly updated: number;
  /** Number of the run that changes its status; null: none does. */
  readonly run: number | null;
  /** The event of its provisioning, until that is done. */
  readonly event?: number | null;
  /** When its next maintenance window begins; absent until it is provisioned. */
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
