/**
 * Holders among the objects of disabled kinds. The operator reads only the metadata of these objects, without a spec. In the
 * namespace of a cloud object, the operator assumes a reference. An object in a foreign namespace is a holder only if it has a
 * signed journal entry.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { provenEntry } from "../model/journal.ts";
import type { JournalEntry } from "../model/journal.ts";
import { identityOf, nameFor } from "../model/owners.ts";
import { sameIdentity } from "../account/identity.ts";
import type { Environment } from "../model/environment.ts";
import type { Connected } from "../model/context.ts";
import type { Kind } from "../kind/owned.ts";
import { heldKindsOf } from "../kind/reference.ts";
import { finalizer } from "../kind/resource.ts";
import { heldKinds, holdingReferences } from "../kind/selectable.ts";
import { isShared } from "../account/sharing.ts";
import type { Holder } from "../model/holder.ts";

/**
 * Returns the objects of disabled kinds that may need a cloud object. `place`: list and path of the cloud object, if known.
 * `isNamed`: references by the name of the object mean the cloud object.
 */
export function disabledHolders(
  ctx: Connected,
  place: { list: string; path: string } | undefined,
  isNamed: boolean,
): Holder[] {
  const { environment, kind, object } = ctx;
  const { namespace } = object.metadata;
  return worked(environment, (of) => heldKinds(of).has(kind.kind)).flatMap(({ one, of, entry }) => {
    const within = place && entry && isBelow(entry.collection, place.list);
    const isNear = isNamed && one.metadata.namespace === namespace;
    if (within) return isBelow(entry.collection, place.path) ? [holder(ctx, one)] : [];
    return isNear && !isCreated(of, kind.kind, entry) ? [holder(ctx, one)] : [];
  });
}

/** Names the objects of disabled kinds in a message that may need a CloudAccount. */
export function disabledUsers(environment: Environment, account: KubeObject): string[] {
  const identity = identityOf(account);
  return worked(environment, () => true).flatMap(({ one, entry }) => {
    const { namespace = "" } = one.metadata;
    const isNear = namespace === account.metadata.namespace;
    const isHere = entry && identity && sameIdentity(identity, entry.account);
    const holds = isNear ? isHere !== false : isHere === true && isShared(account, namespace);
    return holds ? [disabledName({ object: account, cloudAccount: account }, one)] : [];
  });
}

interface Worked {
  one: KubeObject;
  of: Kind;
  entry: JournalEntry | undefined;
}

/** Lists objects with the finalizer. A run has no cloud object, so the operator does not count runs. */
function worked({ disabled, kinds, installationKey }: Environment, isMeant: (of: Kind) => boolean): Worked[] {
  return [...disabled].flatMap(([name, cache]) => {
    const of = kinds.get(name);
    if (!of || of.shape === "once" || of.shape === "survey" || !isMeant(of)) return [];
    return [...cache.objects()].flatMap((one) => {
      if (!one.metadata.finalizers?.includes(finalizer)) return [];
      const statement = provenEntry(one, installationKey);
      return [{ one, of, entry: statement.state === "proven" ? statement.entry : undefined }];
    });
  });
}

/** Returns true if the object exists in the cloud and needed the reference only for the creation. */
function isCreated(of: Kind, target: string, entry: JournalEntry | undefined): boolean {
  const all = holdingReferences(of).filter((one) => heldKindsOf(one).includes(target));
  return entry?.is !== undefined && all.every(({ creationOnly }) => creationOnly === true);
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`);
}

function holder(ctx: Connected, one: KubeObject): Holder {
  return { name: disabledName(ctx, one), cure: "enable" };
}

function disabledName(reader: Pick<Connected, "object" | "cloudAccount">, object: KubeObject): string {
  const isNear = object.metadata.namespace === reader.object.metadata.namespace;
  const what = isNear ? `${object.kind} ${object.metadata.name}` : nameFor(reader, object);
  return `${what} (the operator does not manage this kind: --disabled-kind ${object.kind})`;
}
