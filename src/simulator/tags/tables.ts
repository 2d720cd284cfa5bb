import type { Table } from "../server/store/store.ts";

/** A tag that was made; which objects carry it is read from them. */
export interface TagRow {
  readonly label: string;
}

export const TAGS: Table<TagRow> = {
  name: "tag",
  key: (row) => row.label,
  indexes: { label: (row) => row.label },
};
