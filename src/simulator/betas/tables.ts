import type { Table } from "../server/store/store.ts";

export interface EnrollmentRow {
  /** ID of the program. */
  readonly id: string;
  readonly enrolled: number;
}

export const ENROLLMENTS: Table<EnrollmentRow> = { name: "enrollment", key: (row) => row.id };

export interface BetaRow {
  readonly id: string;
  readonly label: string;
  readonly description: string | null;
  readonly greenlight_only: boolean;
  readonly started: string;
  readonly ended: string | null;
  readonly more_info: string | null;
  /** Limit of enrollments across accounts. Null: unlimited. */
  readonly places: number | null;
}

export const BETAS: Table<BetaRow> = { name: "beta", key: (row) => row.id };
