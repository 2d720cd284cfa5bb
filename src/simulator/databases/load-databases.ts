import { catalogLoad } from "../catalog/load-catalog.ts";
import { loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { epoch } from "../server/wire.ts";
import { DATABASES, DATABASE_BACKUPS, ENGINES } from "./tables.ts";
import type { DatabaseBackupRow, DatabaseRow } from "./tables.ts";

type Shown = Omit<DatabaseRow, "created" | "updated" | "updates"> & {
  readonly created: string;
  readonly updated: string;
  readonly updates: DatabaseRow["updates"] & { readonly pending?: unknown };
};

/** Loads engines, databases and backups. The lists show no credentials. */
export const databaseLoads: readonly Load[] = [
  catalogLoad("/databases/engines", ENGINES),
  loadOf<Shown>({
    from: "/databases/mysql/instances",
    load({ world, account }, shown) {
      const { id, label, engine, version, region, type, cluster_size, replication_type, encrypted, status, port } =
        shown;
      const { ssl_connection, allow_list, engine_config } = shown;
      const { frequency, day_of_week, hour_of_day, duration, week_of_month } = shown.updates;
      // Suspended and failed databases stay in their state. Other states end.
      const isLasting = ["suspended", "failed"].includes(status);
      world.store.put(DATABASES, account, {
        id,
        label,
        engine,
        version,
        region,
        type,
        cluster_size,
        replication_type,
        encrypted,
        status: isLasting ? status : "active",
        port,
        ssl_connection,
        allow_list,
        ...(engine_config && { engine_config }),
        updates: { frequency, day_of_week, hour_of_day, duration, week_of_month },
        username: "dbadmin",
        password: "unknown",
        created: epoch(shown.created),
        updated: epoch(shown.updated),
        run: null,
      });
    },
  }),
  loadOf<Omit<DatabaseBackupRow, "created" | "database"> & { created: string }>({
    from: "/databases/mysql/instances/{instanceId}/backups",
    load({ world, account }, { id, type, label, created }, { instanceId }) {
      const row = { id, type, label, database: Number(instanceId), created: epoch(created) };
      world.store.put(DATABASE_BACKUPS, account, row);
    },
  }),
];
