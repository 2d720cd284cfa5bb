import { timestamp } from "../server/wire.ts";
import type { DatabaseRow } from "./tables.ts";

/** A MySQL database as the API shows it (part 1 section 2.3). */
export function presentMySQL(row: DatabaseRow): Record<string, unknown> {
  const { port, replication_type, ssl_connection } = row;
  return { ...common(row), port, replication_type, ssl_connection };
}

/** An item of the list of all engines: some fields less, and where the database itself is. */
export function presentOfAnyEngine(row: DatabaseRow): Record<string, unknown> {
  return { ...common(row), instance_uri: `/v4/databases/${row.engine}/instances/${row.id}` };
}

function common(row: DatabaseRow): Record<string, unknown> {
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
    hosts: row.hosts ?? { primary: null, secondary: null },
    updates: row.updates,
    created: timestamp(row.created),
    updated: timestamp(row.updated),
  };
}
