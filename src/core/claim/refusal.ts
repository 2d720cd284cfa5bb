/** A creation that the service refused for good is not sent again as it is: a look that nothing new has caused must not repeat it. */
import { markOf } from "../call-mark.ts";
import type { Call } from "../define-kind.ts";
import { verdictOf } from "../outcome.ts";
import type { Reconciliation } from "../reconciliation.ts";

type Request = Pick<Call, "method" | "path" | "body">;

export interface Refusal {
  /** Of the request; a digest, since a body may hold secrets. */
  mark: string;
  /** Clock milliseconds. */
  at: number;
  error: unknown;
}

/** Throws the refusal of this very request again, if that was lately; the slow pass tries anew. */
export function refuseAgain({ environment, remembered }: Reconciliation, request: Request): void {
  const { refusal } = remembered;
  if (refusal?.mark !== markOf(request)) return;
  if (environment.clock.now() - refusal.at < environment.slowPassMs() / 2) throw refusal.error;
}

/** Remembers a refusal that only a change of the spec, of a Secret or of a grant can mend. */
export function noteRefusal({ environment, remembered }: Reconciliation, request: Request, error: unknown): void {
  if (verdictOf(error).state === "stalled")
    remembered.refusal = { mark: markOf(request), at: environment.clock.now(), error };
}
