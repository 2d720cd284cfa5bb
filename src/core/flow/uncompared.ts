/**
 * One that is ready keeps that while it cannot be compared: the account says that the cloud API does not answer. Where the
 * account has nothing to say, and it lasts, the object does.
 */
import { isCutShort } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { CommonStatus, Condition } from "../kind/status-schema.ts";
import { isReady, timestamp } from "./conditions.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** How long that may last unsaid, milliseconds. */
const unsaidMs = 600_000;

/** The conditions that say since when, and why, the object could not be compared; undefined where nothing is to be said. */
export function uncomparedConditions(at: Reconciliation, verdict: Verdict): Condition[] | undefined {
  const { remembered, environment, object, status } = at;
  const { clock } = environment;
  if (verdict.state === "superseded") return undefined;
  if (!isUnanswered(verdict) || !isAccountReady(at)) return void delete remembered.uncomparedSince;
  remembered.uncomparedSince ??= clock.now();
  const forMs = clock.now() - remembered.uncomparedSince;
  const { conditions = [], id = object.metadata.name, observedGeneration } = status;
  const isSettled = isReady({ conditions }) && observedGeneration === object.metadata.generation;
  if (!isSettled || forMs < unsaidMs || object.metadata.deletionTimestamp !== undefined) return undefined;
  const since = timestamp(new Date(clock.date().getTime() - forMs));
  const message = `${id} was as specified when it was compared last. It cannot be compared since ${since}: ${verdict.message}`;
  const [ready, ...others] = conditions.toSorted((a, b) => Number(b.type === "Ready") - Number(a.type === "Ready"));
  return ready && [{ ...ready, message: message.slice(0, 32_768) }, ...others];
}

/** One side did not answer as it should, and the account does not say so. */
function isUnanswered(verdict: Verdict): verdict is Extract<Verdict, { state: "waiting" }> {
  if (!isCutShort(verdict) || verdict.ofAccount) return false;
  return verdict.reason === "CloudUnavailable" || verdict.reason === "ClusterUnavailable";
}

function isAccountReady({ cloudAccount }: Reconciliation): boolean {
  return cloudAccount !== undefined && isReady(cloudAccount.status as CommonStatus);
}
