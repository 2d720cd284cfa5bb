import type { DiskRow } from "../compute/tables.ts";
import type { Table } from "../server/store/store.ts";

/** An image. Public images are shared by all accounts. */
export interface ImageRow {
  readonly id: string;
  readonly label: string;
  readonly description: string | null;
  readonly created: number;
  readonly updated: number;
  readonly created_by: string;
  readonly deprecated: boolean;
  readonly is_public: boolean;
  readonly size: number;
  readonly type: "manual" | "automatic";
  readonly expiry: number | null;
  readonly eol: string | null;
  readonly vendor: string | null;
  readonly status: "creating" | "pending_upload" | "available";
  readonly capabilities: readonly string[];
  readonly tags: readonly string[];
  readonly filesystem: DiskRow["filesystem"];
}

export const IMAGES: Table<ImageRow> = { name: "image", key: (row) => row.id };
