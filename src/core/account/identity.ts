/**
 * Identity of the account behind a token. The operator records the identity when the cloud API first accepts the token. A token
 * of a different account would make every cloud object look absent.
 */
import type { KubeObject } from "../../cluster/types.ts";
import type { AccountSpec, AccountStatus, Identity } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";
import { times } from "../kind/times.ts";

/**
 * Throws `Stalled` if the token belongs to a different account than the recorded one. A `spec.expectedAccount` takes precedence.
 * `shown`: the identity that the token showed before, because its user can lose the permission to read the account.
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
      `spec.expectedAccount: the token belongs to ${names.filter(Boolean).join(" / ")}, not to "${expectedAccount}". The operator changes nothing in the cloud. Store a token of that account, or correct the field`,
      times.quiet,
    );
  }
  if (before && !sameIdentity(before, identity)) {
    const now = identity.euuid ?? identity.uid;
    throw new Stalled(
      "AccountChanged",
      `the token belongs to another account than before. The operator changes nothing in the cloud. Store a token of the former account; to use the new one, set spec.expectedAccount: "${now}"`,
      times.quiet,
    );
  }
}

/** Returns the identity to record. Keeps known values of the same account, and drops the values of a different account. */
export function pinned(before: Identity | undefined, found: Identity): Identity {
  return before && sameIdentity(before, found) ? { ...before, ...found } : found;
}

/**
 * Returns true if two identities can belong to the same account. Compares `euuid` if both have the field, and `uid` otherwise.
 */
export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.euuid !== undefined && b.euuid !== undefined ? a.euuid === b.euuid : a.uid === b.uid;
}
