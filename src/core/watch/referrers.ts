/** Changes of an object that wake the objects with references to the object. */
import { absenceOf, isReady, reportedOf, statusOf } from "../kind/object.ts";
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../cluster/types.ts";
import { recordIn } from "../kind/record.ts";
import { parseKey } from "../kind/resource.ts";
import type { Environment } from "../model/environment.ts";

/** Returns true if a change of an object matters to the objects with references to the object. */
function concernsReferrers(
  { kinds, installationKey: key }: Pick<Environment, "kinds" | "installationKey">,
  before: KubeObject,
  after: KubeObject,
): boolean {
  // Referrers read the spec of the referenced object. A deletion also increases the generation.
  if (before.metadata.generation !== after.metadata.generation) return true;
  const [was, is] = [statusOf(before), statusOf(after)];
  if (before.metadata.uid !== after.metadata.uid) return true;
  const [known, now] = [recordIn(before, key), recordIn(after, key)];
  // The Ready condition does not show that a run failed.
  if (known?.id !== now?.id || known?.run?.result !== now?.run?.result) return true;
  if (isReady(was) !== isReady(is) || absenceOf(was) !== absenceOf(is)) return true;
  const copied = kinds.get(after.kind)?.copied ?? [];
  return copied.some((field) => !isDeepStrictEqual(before.status?.[field], after.status?.[field]));
}

/** Reconciles the objects with references to an object. */
function wakeReferrers(environment: Environment, key: string): void {
  const cause = parseKey(key).kind === "CloudAccount" ? "account" : "reference";
  for (const referrer of environment.dependents.of(key))
    environment.enqueue(referrer.key, { cause, urgency: "resync" });
}

/** Wakes what an object concerns after a change. Undefined: the object did not exist before, or is deleted. */
export function wakeConcerned(
  environment: Environment,
  key: string,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): void {
  const isConcern = !before || !after || concernsReferrers(environment, before, after);
  if (isConcern) wakeReferrers(environment, key);
  // The status of an object can end the refusal of another object: see read/blockers.ts. Few objects wait, and many change.
  if (!environment.changes.isAwaited(key)) return;
  if (isConcern || !isDeepStrictEqual(reportedOf(before), reportedOf(after))) environment.changes.touch(key);
}
