import { loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { SHARED } from "../server/store/store.ts";
import type { Table } from "../server/store/store.ts";
import { AVAILABILITY, REGIONS } from "./tables.ts";

/** Returns the load of a catalog whose rows are stored as the API shows them. */
export function catalogLoad<Row extends object>(from: string, table: Table<Row>): Load {
  return loadOf<Row>({
    from,
    replaces: table,
    load: ({ world }, row) => void world.store.put(table, SHARED, row),
  });
}

/** Loads regions and their plans. */
export const catalogLoads: readonly Load[] = [
  catalogLoad("/regions", REGIONS),
  catalogLoad("/regions/availability", AVAILABILITY),
];
