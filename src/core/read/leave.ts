/** Permissions that the owner of an account gives to the namespace of an object, and the refusal without a permission. */
import type { KubeObject } from "../../cluster/types.ts";
import { recordOf } from "../model/known.ts";
import { accountOf } from "../model/ownership.ts";
import type { Connected, Reconciliation } from "../model/context.ts";
import { leaveOf, notPermitted } from "../account/sharing.ts";
import type { Leave } from "../account/sharing.ts";

/** An object, and the CloudAccount in `spec.accountRef`. */
export type Asking = Pick<Reconciliation, "object" | "cloudAccount">;

export function leaveFor({ object, cloudAccount }: Asking): Leave {
  return leaveOf(cloudAccount, accountOf(object), object.metadata.namespace ?? "");
}

/**
 * Throws `Stalled` if the spec refers to an object with an adopted cloud object, and the owner of the account has withdrawn
 * `sharing.existing`. `field`: the reference.
 */
export function requireOwn(at: Connected, field: string, referred: KubeObject): void {
  const isOwnedKind = at.environment.kinds.get(referred.kind)?.shape === "owned";
  if (!isOwnedKind || leaveFor(at).existing || recordOf(at.environment, referred).adopted !== true) return;
  const what = `${field}: ${referred.kind} ${referred.metadata.name} adopted a cloud object that it did not create`;
  throw refusal(at, what, "existing");
}

export function refusal(at: Connected, what: string, list: "existing" | "accountWide") {
  return notPermitted(what, at.session.account, at.object.metadata.namespace ?? "", list);
}
