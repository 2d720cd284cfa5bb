/** Whose account it is: pinned when a token is first accepted, since another account would look as if everything were gone. */
import type { KubeObject } from "../cluster/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "./account-spec.ts";
import { Stalled } from "./outcome.ts";

/** Throws `Stalled` for an account that is neither the pinned one nor the one that the spec names. */
export function refuseOtherAccount(object: KubeObject, { expectedAccount }: AccountSpec, identity: Identity): void {
  const names = [identity.euuid, String(identity.uid)];
  if (expectedAccount !== undefined) {
    if (names.includes(expectedAccount)) return;
    throw new Stalled(
      "AccountChanged",
      `the token belongs to ${names.filter(Boolean).join(" / ")}, not to spec.expectedAccount ${expectedAccount}`,
    );
  }
  const { identity: pinned } = (object.status ?? {}) as AccountStatus;
  if (pinned && !sameIdentity(pinned, identity)) {
    const now = identity.euuid ?? identity.uid;
    throw new Stalled(
      "AccountChanged",
      `the token belongs to another account than before; if that is meant, set spec.expectedAccount: "${now}"`,
    );
  }
}

/** What is known of the same account is kept; of another, which the spec named, nothing. */
export function pinned(before: Identity | undefined, found: Identity): Identity {
  return before && sameIdentity(before, found) ? { ...before, ...found } : found;
}

/** True when nothing says that they differ: an account is told by its `euuid`, where both know it, else by the user. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.euuid !== undefined && b.euuid !== undefined ? a.euuid === b.euuid : a.uid === b.uid;
}
