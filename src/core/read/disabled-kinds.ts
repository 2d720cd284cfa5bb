/**
 * Holders among the objects of disabled kinds. The operator reads only the metadata of these objects, without a spec. In the
 * namespace of a cloud object, the operator assumes a reference. In foreign namespaces, only a signed intent counts.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { provenIntent } from "../claim/intent.ts";
import type { Intent } from "../claim/intent.ts";
import { identityOf } from "../claim/ownership.ts";
import { sameIdentity } from "../account/identity.ts";
import type { Environment } from "../flow/environment.ts";
import type { Kind } from "../kind/owned.ts";
import { finalizer, nameOfKey, keyOfObject } from "../kind/resource.ts";
import { referencedKinds } from "../kind/selectable.ts";
import { isSharedWith } from "../model/sharing.ts";

/** A cloud object and the custom resource of a deletion. */
interface Deleted {
  object: KubeObject;
  kind: Kind;
  /** Collection and path of the cloud object, if known. */
  place: { list: string; path: string } | undefined;
}

/** Names the objects of disabled kinds in a message that may need a cloud object. */
export function disabledHolders(environment: Environment, { object, kind, place }: Deleted): string[] {
  const { namespace } = object.metadata;
  return worked(environment, (of) => referencedKinds(of).has(kind.kind)).flatMap(({ one, of, intent }) => {
    const within = place && intent && isBelow(intent.collection, place.list);
    const isNear = one.metadata.namespace === namespace;
    if (within) return isBelow(intent.collection, place.path) ? [shown(one, isNear)] : [];
    return isNear && !isCreated(of, kind.kind, intent) ? [shown(one, true)] : [];
  });
}

/** Names the objects of disabled kinds in a message that may need a CloudAccount. */
export function disabledUsers(environment: Environment, account: KubeObject): string[] {
  const identity = identityOf(account);
  return worked(environment, () => true).flatMap(({ one, intent }) => {
    const { namespace = "" } = one.metadata;
    const isNear = namespace === account.metadata.namespace;
    const isHere = intent && identity && sameIdentity(identity, intent.account);
    const holds = isNear ? isHere !== false : isHere === true && isSharedWith(account, namespace);
    return holds ? [shown(one, isNear)] : [];
  });
}

interface Worked {
  one: KubeObject;
  of: Kind;
  intent: Intent | undefined;
}

/** Lists objects with the finalizer. A run has no cloud object, so the operator does not count runs. */
function worked({ disabled, kinds, installationKey }: Environment, isMeant: (of: Kind) => boolean): Worked[] {
  return [...disabled].flatMap(([name, cache]) => {
    const of = kinds.get(name);
    if (!of || of.shape === "once" || of.shape === "survey" || !isMeant(of)) return [];
    return [...cache.objects()].flatMap((one) => {
      if (!one.metadata.finalizers?.includes(finalizer)) return [];
      const statement = provenIntent(one, installationKey);
      return [{ one, of, intent: statement.state === "proven" ? statement.intent : undefined }];
    });
  });
}

/** Tests for an object that was created and needed the reference only for the creation. */
function isCreated({ references = {} }: Kind, target: string, intent: Intent | undefined): boolean {
  const all = Object.values(references).filter((one) => !("secret" in one) && one.kind === target);
  return intent?.is !== undefined && all.every(({ creationOnly }) => creationOnly === true);
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`);
}

function shown(object: KubeObject, isNear: boolean): string {
  const what = isNear ? `${object.kind} ${object.metadata.name}` : nameOfKey(keyOfObject(object));
  return `${what} (the operator does not manage this kind: --disabled-kind ${object.kind})`;
}
