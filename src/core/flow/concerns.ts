/** Changes of an object that concern objects beside it. */
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../cluster/types.ts";
import { absenceOf, isReady } from "./conditions.ts";
import { reportedOf, statusOf } from "./reconciliation.ts";

/** Returns true if the objects that refer to the object must be reconciled. */
export function concernsReferrers(before: KubeObject, after: KubeObject): boolean {
  // A kind reads the spec behind a reference, and the spec of an account has the sharing. A deletion changes the generation, too.
  if (before.metadata.generation !== after.metadata.generation) return true;
  const [was, is] = [statusOf(before), statusOf(after)];
  if (was.id !== is.id || before.metadata.uid !== after.metadata.uid) return true;
  // The readiness does not tell whether a run failed.
  if (was.run?.result !== is.run?.result) return true;
  return isReady(was) !== isReady(is) || absenceOf(was) !== absenceOf(is);
}

/** Returns true if the change can end a refusal: the status shows a different cloud object. See read/blockers.ts. */
export function concernsWaiting(before: KubeObject, after: KubeObject): boolean {
  return concernsReferrers(before, after) || !isDeepStrictEqual(reportedOf(before), reportedOf(after));
}
