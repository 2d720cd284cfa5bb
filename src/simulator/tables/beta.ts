import type { Table } from "../store.ts";

/** An account takes part in a beta program. */
export interface EnrollmentRow {
  /** Of the program. */
  readonly id: string;
  readonly enrolled: number;
}

export const ENROLLMENTS: Table<EnrollmentRow> = { name: "enrollment", key: (row) => row.id };
