import type { Entity } from "../server/events.ts";
import { COMPUTE_TYPES } from "../compute/catalogs/tables.ts";
import { SHARED } from "../server/store/store.ts";
import { timestamp } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { changedConfig } from "./fields.ts";
import type { DatabaseRow } from "./tables.ts";

const SQL_MODE =
  "ANSI,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_ALL_TABLES";

const DEFAULT_CONFIG = { mysql: { sql_mode: SQL_MODE, sql_require_primary_key: true } };

/** A MySQL database as the API shows it (part 1 section 2.3). */
export function presentMySQL(world: World, row: DatabaseRow): Record<string, unknown> {
  const { port, replication_type, ssl_connection } = row;
  return { ...common(world, row), port, replication_type, ssl_connection };
}

/** An item of the list of all engines: some fields less, and where the database itself is. */
export function presentOfAnyEngine(world: World, row: DatabaseRow): Record<string, unknown> {
  return { ...common(world, row), instance_uri: `/v4/databases/${row.engine}/instances/${row.id}` };
}

/** Known from the start; a younger service calls the secondary one standby (not-shown section 9). */
function hostsOf({ brand }: World, { id, engine, region }: DatabaseRow): Record<string, string> {
  const host = (role: string) => `${brand.word}-${id}-${engine}-${role}.${region}.databases.example.com`;
  return { primary: host("primary"), secondary: host("secondary"), standby: host("secondary") };
}

/** How events name a database. */
export function databaseEntity({ id, label, engine }: Readonly<DatabaseRow>): Entity {
  return { id, label, type: "database", url: `/v4/databases/${engine}/instances/${id}` };
}

/** Gigabytes for data: what the type's disk has. */
function diskSizeOf(world: World, { type }: DatabaseRow): number {
  return Math.floor((world.store.get(COMPUTE_TYPES, SHARED, type)?.disk ?? 0) / 1024);
}

/** The nodes by address, which tells nothing but that they are others. */
function membersOf({ id, cluster_size }: DatabaseRow): Record<string, string> {
  const nodes = Array.from({ length: cluster_size }, (_, node) => `192.0.2.${((id * 3 + node) % 250) + 1}`);
  return Object.fromEntries(nodes.map((address, node) => [address, node === 0 ? "primary" : "failover"]));
}

function common(world: World, row: DatabaseRow): Record<string, unknown> {
  const isProvisioned = row.password !== null;
  return {
    id: row.id,
    label: row.label,
    engine: row.engine,
    version: row.version,
    region: row.region,
    type: row.type,
    status: row.status,
    cluster_size: row.cluster_size,
    encrypted: row.encrypted,
    allow_list: row.allow_list,
    hosts: hostsOf(world, row),
    members: isProvisioned ? membersOf(row) : {},
    engine_config: changedConfig(DEFAULT_CONFIG, row.engine_config),
    platform: "rdbms-default",
    updates: { ...row.updates, pending: [] },
    // As recorded: the size is known from the start, the rest when the database answers.
    total_disk_size_gb: diskSizeOf(world, row),
    used_disk_size_gb: isProvisioned ? 1 : null,
    oldest_restore_time: isProvisioned ? timestamp(row.created) : null,
    created: timestamp(row.created),
    updated: timestamp(row.updated),
  };
}
