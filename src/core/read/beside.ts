/**
 * Mutually exclusive cloud objects, such as a CNAME and a second record with the same name. Before a creation or a
 * rename, the operator checks the rows of the list and the custom resources of the namespace.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { beats, keptBack, nameFor, observes, ownerOf } from "../model/ownership.ts";
import { wholeList } from "./whole-list.ts";
import { collectionOf } from "../model/context.ts";
import type { AnyWanted, Connected } from "../model/context.ts";
import { Stalled } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import { leaveFor } from "./leave.ts";

/** Throws `Stalled` or `Waiting` if a row or a custom resource excludes the wanted cloud object. */
export async function refuseBeside(at: Connected, wanted: AnyWanted): Promise<void> {
  const { kind } = at;
  if (!kind.excludes) return;
  await refuseRow(at, wanted, kind.excludes);
  refuseObject(at, wanted, kind.excludes);
}

type Excludes = NonNullable<Kind["excludes"]>;

async function refuseRow(at: Connected, wanted: AnyWanted, excludes: Excludes): Promise<void> {
  const { kind, environment, session, next, startedAt } = at;
  const collection = collectionOf(kind, kind.at(wanted));
  const { rows } = await wholeList(at, collection, startedAt - environment.sweepMs);
  const isExcluded = excludes.row(wanted);
  for (const [id, row] of rows) {
    if (id === next.id || !isExcluded(row)) continue;
    // A change of the row wakes the object.
    session.observer.depend(at.key, [{ collection, id }]);
    const owner = ownerOf(environment, at.object, { collection: collection.path, id });
    const text = refusal(excludes, owner ? nameFor(at, owner) : rowName(at, excludes, { id, row }));
    throw owner ? keptBack(at, owner, text) : new Stalled("Conflict", text);
  }
}

/** If two custom resources are new, the custom resource with the weaker claim waits. */
function refuseObject(at: Connected, wanted: AnyWanted, excludes: Excludes): void {
  const { kind, object, environment, spec } = at;
  const isExcluded = excludes.spec(wanted);
  for (const other of environment.caches.get(kind.kind)?.list(object.metadata.namespace) ?? []) {
    if (other.metadata.uid === object.metadata.uid || !isExcluded(other.spec ?? {})) continue;
    if (other.metadata.deletionTimestamp !== undefined || observes(other) || !beats(at, other)) continue;
    if (isInSameList(kind, spec, other)) throw keptBack(at, other, refusal(excludes, nameFor(at, other)));
  }
}

function isInSameList({ references = {} }: Kind, spec: Record<string, unknown>, other: KubeObject): boolean {
  return Object.values(references).every(
    (one) =>
      "secret" in one || !one.contained || isDeepStrictEqual(one.from(spec), one.from({ ...(other.spec as object) })),
  );
}

function refusal({ field, says }: Excludes, other: string): string {
  return `spec.${field}: ${says}, and ${other} has this ${field}. Nothing is sent. Delete the other record, or choose another ${field}`;
}

/** Without `sharing.existing`, a namespace gets no IDs of foreign cloud objects. */
function rowName(at: Connected, { named }: Excludes, { id, row }: { id: string; row: JsonObject }): string {
  return leaveFor(at).existing ? `${named(row)} (ID ${id})` : "a record that no object of this namespace manages";
}
