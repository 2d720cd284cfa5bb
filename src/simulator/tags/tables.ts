import type { Table } from "../server/store/store.ts";

/** A tag that was created. The objects themselves store which tags they have. */
export interface TagRow {
  readonly label: string;
}

export const TAGS: Table<TagRow> = {
  name: "tag",
  key: (row) => row.label,
  indexes: { label: (row) => row.label },
};
