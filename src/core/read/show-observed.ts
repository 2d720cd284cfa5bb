/** Fills `status.observed` for an object with policy Observe, unless the CloudAccount disables the report. */
import type { JsonObject } from "../../api/types.ts";
import { ownerOf } from "../model/ownership.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { observedSpec } from "../kind/observed.ts";
import { observedFields } from "../kind/words.ts";
import type { Observed } from "../model/context.ts";
import { collectionOfIds } from "../model/referred.ts";
import { untagged } from "../model/tags.ts";

export function showRow(at: Observed): void {
  const { reportObserved } = (at.cloudAccount?.spec ?? {}) as Partial<AccountSpec>;
  if (!at.observing || reportObserved === false) return;
  at.next.observed = {};
  addObserved(at, observedFields(at.kind, untagged(at, at.row)));
}

/** Adds fields of the spec if the object has a report. */
export function addObserved(at: Observed, fields: JsonObject | undefined): void {
  if (!at.next.observed || !fields) return;
  const shown = { ...at.next.observed, ...fields };
  at.next.observed = observedSpec(at.kind, at.wanted, shown, (kind, id) => nameOf(at, kind, id));
}

/** Returns the name of the custom resource in the same namespace: a reference by name is better than an ID. */
function nameOf({ environment, object }: Observed, of: string, id: string): string | undefined {
  const kind = environment.kinds.get(of);
  const collection = kind && collectionOfIds(kind);
  const owner = collection === undefined ? undefined : ownerOf(environment, object, { collection, id });
  const isMeant = owner?.kind === of && owner.metadata.namespace === object.metadata.namespace;
  return isMeant ? owner.metadata.name : undefined;
}
