/** Keeps the index of claims up to date with what an object, or one that is gone, claims. */
import type { Environment } from "../flow/environment.ts";
import { claimedBy } from "./claim.ts";
import { claimantOf } from "./ownership.ts";

/** Notes what the object of this key claims; one that is gone claims until nothing of it is left in the cloud. */
export function noteClaim(environment: Environment, key: string): void {
  const claimant = claimantOf(environment, key);
  const kind = claimant && environment.kinds.get(claimant.kind);
  environment.claims.note(key, kind && claimedBy(environment, kind, claimant));
}
