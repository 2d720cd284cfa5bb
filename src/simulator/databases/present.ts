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

/** Returns a MySQL database in the form of the API (part 1 section 2.3). */
export function presentMySQL(world: World, row: DatabaseRow): Record<string, unknown> {
  const { port, replication_type, ssl_connection } = row;
  return { ...common(world, row), port, replication_type, ssl_connection };
}

/** Returns an item in the list of all engines, with fewer fields and the URI of the database. */
export function presentOfAnyEngine(world: World, row: DatabaseRow): Record<string, unknown> {
  return { ...common(world, row), instance_uri: `/v4/databases/${row.engine}/instances/${row.id}` };
}

/**
 * Returns the hosts, which exist from the start. A newer service has the name standby for the secondary host
 * (not-shown section 9).
 */
function hostsOf({ brand }: World, { id, engine, region }: DatabaseRow): Record<string, string> {
  const host = (role: string) => `${brand.word}-${id}-${engine}-${role}.${region}.databases.example.com`;
  return { primary: host("primary"), secondary: host("secondary"), standby: host("secondary") };
}

/** Returns the database as an entity of events. */
export function databaseEntity({ id, label, engine }: Readonly<DatabaseRow>): Entity {
  return { id, label, type: "database", url: `/v4/databases/${engine}/instances/${id}` };
}

/** Returns the GB for data, equal to the disk of the type. */
function diskSizeOf(world: World, { type }: DatabaseRow): number {
  return Math.floor((world.store.get(COMPUTE_TYPES, SHARED, type)?.disk ?? 0) / 1024);
}

/** Returns the role of each node by address. The addresses are placeholders. */
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
    // In recorded traffic, the size exists from the start, and the other fields exist after provisioning.
    total_disk_size_gb: diskSizeOf(world, row),
    used_disk_size_gb: isProvisioned ? 1 : null,
    oldest_restore_time: isProvisioned ? timestamp(row.created) : null,
    created: timestamp(row.created),
    updated: timestamp(row.updated),
  };
}
