/**
 * Mutually exclusive cloud objects, such as a CNAME and a second record with the same name. Before a creation or a
 * rename, the operator checks the rows of the list and the custom resources of the namespace.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { beats, keptBack, nameFor, observes, ownerOf } from "../model/owners.ts";
import { wholeList } from "./whole-list.ts";
import { collectionOf } from "../model/context.ts";
import type { AnyDesired, Connected } from "../model/context.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { grantsFor } from "./grants.ts";

/** Throws `Stalled` or `Waiting` if a row or a custom resource excludes the wanted cloud object. */
export async function refuseBeside(ctx: Connected, wanted: AnyDesired): Promise<void> {
  const { kind } = ctx;
  if (!kind.excludes) return;
  await refuseRow(ctx, wanted, kind.excludes);
  refuseObject(ctx, wanted, kind.excludes);
}

type Exclusion = NonNullable<Kind["excludes"]>;

async function refuseRow(ctx: Connected, wanted: AnyDesired, excludes: Exclusion): Promise<void> {
  const { kind, environment, session, next, startedAt } = ctx;
  const collection = collectionOf(kind, kind.listPath(wanted));
  const { rows } = await wholeList(ctx, collection, startedAt - environment.pollMs);
  const isExcluded = excludes.row(wanted);
  for (const [id, row] of rows) {
    if (id === next.id || !isExcluded(row)) continue;
    // A change of the row wakes the object.
    session.observer.depend(ctx.key, [{ collection, id }]);
    const owner = ownerOf(environment, ctx.object, { collection: collection.path, id });
    const text = exclusionText(excludes, owner ? nameFor(ctx, owner) : rowName(ctx, excludes, { id, row }));
    throw owner ? keptBack(ctx, owner, text) : new Stalled("Conflict", text);
  }
}

/** If two custom resources are new, the custom resource with the weaker claim waits. */
function refuseObject(ctx: Connected, wanted: AnyDesired, excludes: Exclusion): void {
  const { kind, object, environment, spec } = ctx;
  const isExcluded = excludes.spec(wanted);
  for (const other of environment.caches.get(kind.kind)?.list(object.metadata.namespace) ?? []) {
    if (other.metadata.uid === object.metadata.uid || !isExcluded(other.spec ?? {})) continue;
    if (other.metadata.deletionTimestamp !== undefined || observes(other) || !beats(ctx, other)) continue;
    if (isInSameList(kind, spec, other)) throw keptBack(ctx, other, exclusionText(excludes, nameFor(ctx, other)));
  }
}

function isInSameList({ references = {} }: Kind, spec: Record<string, unknown>, other: KubeObject): boolean {
  return Object.values(references).every(
    (one) =>
      "secret" in one || !one.contained || isDeepStrictEqual(one.from(spec), one.from({ ...(other.spec as object) })),
  );
}

function exclusionText({ field, relation: says }: Exclusion, other: string): string {
  return `spec.${field}: ${says}, and ${other} has this ${field}. The operator sends no request. Delete the other record, or choose another ${field}`;
}

/** Without `sharing.existing`, a namespace gets no IDs of foreign cloud objects. */
function rowName(ctx: Connected, { named }: Exclusion, { id, row }: { id: string; row: JsonObject }): string {
  return grantsFor(ctx).existing ? `${named(row)} (ID ${id})` : "a record that no object of this namespace manages";
}
