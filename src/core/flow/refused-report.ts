/**
 * A status that the API server refuses (422) is stored without what the kind itself reported: the definition that is
 * installed may allow less than this version of the kind. It is reported once in the log, and in the condition for as long
 * as the kind reports the same.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { KubeError } from "../../cluster/errors.ts";
import { fitted } from "../kind/fitting.ts";
import { isKubeError } from "../kind/outcome.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { reportedOf } from "./reconciliation.ts";

export interface Reported {
  /** What of the kind's own fields is in the status. */
  report: JsonObject;
  /** Why the newest report is not; undefined where it is. */
  refused: string | undefined;
}

/** The kind's report as it may be stored: cut to its schema, and what was stored before where it was refused. */
export function reportToStore({ kind, object, status, next, remembered }: Reconciliation): Reported {
  const before = next.id === status.id ? reportedOf(object) : {};
  if (next.report === undefined) return { report: before, refused: undefined };
  const report = fitted(kind.status, next.report);
  const { refusedReport } = remembered;
  return refusedReport && isDeepStrictEqual(refusedReport.report, report)
    ? { report: before, refused: refusedReport.why }
    : { report, refused: undefined };
}

/** True where the refusal can be met by leaving the report out; from then on it is. */
export function noteRefusedReport(at: Reconciliation, error: unknown): error is KubeError {
  if (!isKubeError(error) || error.status !== 422) return false;
  const { report, refused } = reportToStore(at);
  const { environment, key, remembered } = at;
  if (remembered.refusedReport?.why !== error.message)
    environment.log.error({ key, error: error.message }, "the API server refuses a status");
  if (refused !== undefined || at.next.report === undefined) return false;
  remembered.refusedReport = { report, why: error.message };
  return true;
}
