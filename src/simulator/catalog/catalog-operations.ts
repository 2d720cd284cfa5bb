import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import type { Operation } from "../server/operation.ts";
import type { Limit } from "../server/rate-limits.ts";
import { SHARED } from "../server/store/store.ts";
import type { Table } from "../server/store/store.ts";
import type { World } from "../server/world.ts";

interface Catalog<Row> {
  readonly table: Table<Row>;
  readonly path: string;
  /** Path parameter of the view operation. */
  readonly param: string;
  /** `slug` for IDs that contain a slash. */
  readonly kind: "text" | "slug";
  readonly noun: string;
  readonly filterable: readonly string[];
  readonly present: (row: Row, world: World) => unknown;
  /** Replaces the default limit of the operations. */
  readonly limit?: Limit;
}

/** Returns the list and view operations of a catalog. A catalog is equal for all accounts and needs no credentials. */
export function catalogOperations<Row extends object>(catalog: Catalog<Row>): Operation[] {
  const { table, path, param, kind, noun, filterable, present, limit } = catalog;
  const limited = limit && { limit };
  return [
    operation({
      method: "GET",
      path,
      summary: `List ${noun}s`,
      auth: "none",
      ...limited,
      paged: { filterable },
      handler: ({ world }) => rowList(world.store.all(table, SHARED), (row: Row) => present(row, world)),
    }),
    operation({
      method: "GET",
      path: `${path}/{${param}}`,
      summary: `View one ${noun}`,
      auth: "none",
      ...limited,
      params: { [param]: kind },
      handler({ world, params }) {
        const row = world.store.get(table, SHARED, params[param] ?? "");
        if (!row) throw notFound();
        return present(row, world);
      },
    }),
  ];
}
