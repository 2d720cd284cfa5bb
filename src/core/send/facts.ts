/** Facts of a request: the API server confirms each of them right before a mutating request leaves. */
import { confirmStillMeant, refuseChanged } from "../read/confirm.ts";
import type { Connected } from "../model/context.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { Waiting } from "../kind/outcome.ts";
import { requireDefinition } from "../read/definition.ts";
import { recentReads } from "../read/fresh.ts";
import { requireUnheld } from "../read/fresh-holders.ts";
import { asksForHolders } from "../read/holders.ts";
import { times } from "../kind/times.ts";

/**
 * Asks the API server for the facts of a request: the object, the CloudAccount with the sharing, the version of the token's Secret,
 * the definition of the kind, and, for a deletion, the holders. Each fact is read once. One read serves all requests of a tenth of a
 * second. Throws `Waiting` if a fact changed, `Stalled` if the definition is older than the operator, and `KubeError` if the API
 * server does not answer.
 */
export async function proveFacts(ctx: Connected): Promise<void> {
  const since = recentReads(ctx.environment.clock);
  await Promise.all([
    asksForHolders(ctx) ? requireUnheld(ctx, since) : undefined,
    confirmStillMeant(ctx, since),
    ctx.environment.proveAccount(ctx, since),
    requireDefinition(ctx, ctx.kind, since),
  ]);
}

/**
 * Confirms a creation right after the operator stored the journal entry: an earlier read of the object does not count. Reads the account and the definition in
 * parallel, so that the facts of the request are known before the request leaves. Throws as `proveFacts` does.
 */
export async function confirmCreation(ctx: Connected): Promise<void> {
  const since = recentReads(ctx.environment.clock);
  await Promise.all([
    confirmStillMeant(ctx),
    ctx.environment.proveAccount(ctx, since),
    requireDefinition(ctx, ctx.kind, since),
  ]);
}

/** Throws `Waiting` if the caches show a changed fact right before a request leaves. Costs no time and no request. */
export function refuseOutdated(ctx: Connected): void {
  refuseChanged(ctx);
  const { accountRef } = (ctx.object.spec ?? {}) as CommonSpec;
  if (ctx.environment.openAccount(ctx.object, accountRef) === ctx.session) return;
  throw new Waiting("Updating", "the token of the account changed during the reconcile", times.soon, {
    transient: true,
  });
}
