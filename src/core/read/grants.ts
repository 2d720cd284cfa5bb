/** Permissions that the owner of an account gives to the namespace of an object, and the refusal without a permission. */
import type { KubeObject } from "../../cluster/types.ts";
import { recordOf } from "../model/known.ts";
import { accountOf } from "../model/owners.ts";
import type { Connected, Context } from "../model/context.ts";
import { grantsIn, notPermitted } from "../account/sharing.ts";
import type { Grants } from "../account/sharing.ts";

/** An object, and the CloudAccount in `spec.accountRef`. */
export type Asking = Pick<Context, "object" | "cloudAccount">;

export function grantsFor({ object, cloudAccount }: Asking): Grants {
  return grantsIn(cloudAccount, accountOf(object), object.metadata.namespace ?? "");
}

/**
 * Throws `Stalled` if the spec refers to an object with an adopted cloud object, and the owner of the account has withdrawn
 * `sharing.existing`. `field`: the reference.
 */
export function requireOwn(ctx: Connected, field: string, referred: KubeObject): void {
  const isOwnedKind = ctx.environment.kinds.get(referred.kind)?.shape === "owned";
  if (!isOwnedKind || grantsFor(ctx).existing || recordOf(ctx.environment, referred).adopted !== true) return;
  const what = `${field}: ${referred.kind} ${referred.metadata.name} adopted a cloud object that it did not create`;
  throw notPermittedTo(ctx, what, "existing");
}

export function notPermittedTo(ctx: Connected, what: string, list: "existing" | "accountWide") {
  return notPermitted(what, ctx.session.account, ctx.object.metadata.namespace ?? "", list);
}
