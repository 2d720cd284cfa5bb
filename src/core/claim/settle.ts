/** How long what was sent may still take effect: design, section 5. It knows no claim and no session, so that all may ask. */
import type { Environment } from "../flow/environment.ts";
import type { Kind } from "../kind/owned.ts";

/** How long a POST without a response may still take effect, milliseconds. */
export function settleMsOf({ environment, kind }: { environment: Environment; kind: Kind }): number {
  return kind.billable ? environment.settle.billableMs : environment.settle.freeMs;
}
