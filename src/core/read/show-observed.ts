/** Fills `status.observed` for an object with policy Observe, unless the CloudAccount disables the report. */
import type { JsonObject } from "../../api/types.ts";
import { ownerOf } from "../model/owners.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { observedSpec } from "../kind/observed.ts";
import { observedFields } from "../kind/words.ts";
import type { Observed } from "../model/context.ts";
import { collectionOfIds } from "../model/referred.ts";
import { untagged } from "../model/tags.ts";

export function showRow(ctx: Observed): void {
  const { reportObserved } = (ctx.cloudAccount?.spec ?? {}) as Partial<AccountSpec>;
  if (!ctx.observing || reportObserved === false) return;
  ctx.next.observed = {};
  addObserved(ctx, observedFields(ctx.kind, untagged(ctx, ctx.row)));
}

/** Adds fields of the spec if the object has a report. */
export function addObserved(ctx: Observed, fields: JsonObject | undefined): void {
  if (!ctx.next.observed || !fields) return;
  const shown = { ...ctx.next.observed, ...fields };
  ctx.next.observed = observedSpec(ctx.kind, ctx.desired, shown, (kind, id) => managedName(ctx, kind, id));
}

/** Returns the name of the custom resource in the same namespace: a reference by name is better than an ID. */
function managedName({ environment, object }: Observed, of: string, id: string): string | undefined {
  const kind = environment.kinds.get(of);
  const collection = kind && collectionOfIds(kind);
  const owner = collection === undefined ? undefined : ownerOf(environment, object, { collection, id });
  const isMeant = owner?.kind === of && owner.metadata.namespace === object.metadata.namespace;
  return isMeant ? owner.metadata.name : undefined;
}
