/** Whose account it is: pinned when a token is first accepted, since another account would look as if everything were gone. */
import type { KubeObject } from "../../cluster/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";
import { times } from "../kind/times.ts";

/**
 * Throws `Stalled` for an account that is neither the pinned one nor the one that the spec names. `shown`: what the very token has
 * shown before: its user may have lost the right to read the account.
 */
export function refuseOtherAccount(
  object: KubeObject,
  { expectedAccount }: AccountSpec,
  identity: Identity,
  shown?: Identity,
): void {
  const { identity: before } = (object.status ?? {}) as AccountStatus;
  if (expectedAccount !== undefined) {
    const { euuid, uid } = pinned(shown, identity);
    const names = [euuid, String(uid)];
    if (names.includes(expectedAccount)) return;
    throw new Stalled(
      "AccountChanged",
      `spec.expectedAccount: the token belongs to ${names.filter(Boolean).join(" / ")}, not to "${expectedAccount}". Nothing is changed in the cloud. Store a token of that account, or correct the field`,
      times.quiet,
    );
  }
  if (before && !sameIdentity(before, identity)) {
    const now = identity.euuid ?? identity.uid;
    throw new Stalled(
      "AccountChanged",
      `the token belongs to another account than before. Nothing is changed in the cloud. Store a token of the former account; to use the new one, set spec.expectedAccount: "${now}"`,
      times.quiet,
    );
  }
}

/** What is known of the same account is kept; of another, which the spec named, nothing. */
export function pinned(before: Identity | undefined, found: Identity): Identity {
  return before && sameIdentity(before, found) ? { ...before, ...found } : found;
}

/** True unless they differ: an account is identified by its `euuid`, where both know it, else by the user. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.euuid !== undefined && b.euuid !== undefined ? a.euuid === b.euuid : a.uid === b.uid;
}
