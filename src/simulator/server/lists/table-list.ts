import { visible } from "../auth/auth.ts";
import type { GrantCategory } from "../auth/identity.ts";
import type { Context } from "../operation.ts";
import type { Table } from "../store/store.ts";
import { rowList } from "./paging.ts";
import type { Found, RowList } from "./paging.ts";

/**
 * Returns the list of an account's rows in a table, limited to rows that the caller may read if the table has a grant category.
 * A filter on the ID or on an indexed field reads only the rows with the value. `found` adds more such fields.
 */
export function tableList<Row extends object>(
  context: Context,
  table: Table<Row>,
  present: (row: Row) => unknown,
  {
    category,
    found = {},
  }: { category?: GrantCategory; found?: Record<string, (value: unknown) => readonly Row[]> } = {},
): RowList {
  const { account } = context;
  const { store } = context.world;
  const seen = (rows: readonly Row[]): readonly Row[] =>
    category ? visible(context, category, rows, table.key) : rows;
  const finders: Record<string, (value: unknown) => readonly Row[]> = {
    id: (value) => [store.get(table, account, String(value))].filter((row) => row !== undefined),
    ...found,
  };
  for (const name of Object.keys(table.indexes ?? {}))
    finders[name] ??= (value) => store.find(table, account, name, value);
  const shown: Found = Object.fromEntries(
    Object.entries(finders).map(([name, find]) => [name, (value: unknown) => seen(find(value))]),
  );
  return rowList(() => seen(store.all(table, account)), present, shown);
}
