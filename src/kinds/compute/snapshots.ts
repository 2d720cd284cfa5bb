/** Snapshots of an instance as the API lists them: part 2, sections 2.3 and 4.2; not-shown, section 3. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";

const snapshot = z.object({
  id: z.int(),
  label: z.string().nullish(),
  status: z.string(),
  created: z.string().nullish(),
  finished: z.string().nullish(),
  disks: z.array(z.object({ size: z.int() })).nullish(),
});

const backups = z.object({
  snapshot: z.object({ current: snapshot.nullish(), in_progress: snapshot.nullish() }),
});

export type Snapshot = z.output<typeof snapshot>;

export interface Snapshots {
  current: Snapshot | undefined;
  inProgress: Snapshot | undefined;
}

export function snapshotsIn(answer: Json | undefined): Snapshots {
  const { current, in_progress: inProgress } = backups.parse(answer).snapshot;
  return { current: current ?? undefined, inProgress: inProgress ?? undefined };
}

/** States of a failed snapshot. A failed snapshot cannot be restored. */
const failures = new Set(["failed", "userAborted"]);

export function hasFailed({ status }: Snapshot): boolean {
  return failures.has(status);
}
