/** A creation that the cloud API refused for good is not sent again as it is: a reconcile that nothing new has caused must not repeat it. */
import { markOf } from "../flow/call-mark.ts";
import type { Call } from "../kind/call.ts";
import { passes, verdictOf } from "../kind/outcome.ts";
import type { Reconciliation } from "../flow/reconciliation.ts";

type Request = Pick<Call, "method" | "path" | "body">;

/** Throws the refusal of this very request again, if that was lately; the slow pass retries. */
export function refuseAgain({ environment, remembered }: Reconciliation, request: Request): void {
  const { refusal } = remembered;
  if (refusal?.mark !== markOf(request)) return;
  if (environment.clock.now() - refusal.at < environment.slowPassMs() / 2) throw refusal.error;
}

/** Remembers a refusal that only a change of the spec, of a Secret or of a grant can mend. */
export function noteRefusal({ environment, kind, remembered }: Reconciliation, request: Request, error: unknown): void {
  if (verdictOf(error).state === "stalled" && !passes(kind, error))
    remembered.refusal = { mark: markOf(request), at: environment.clock.now(), error };
}
