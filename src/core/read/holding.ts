/** Decides by unforgeable facts if an object has something in the cloud. */
import type { KubeObject } from "../../cluster/types.ts";
import { claimsNothing } from "../kind/owned.ts";
import { finalizer, keyOfObject } from "../kind/resource.ts";
import { statedEntry } from "../model/known.ts";
import { storedRecord } from "../model/stored.ts";
import { cloudAccountOf } from "../model/owners.ts";
import type { Environment } from "../model/environment.ts";
import { isShared, sharesExisting } from "../account/sharing.ts";

/**
 * Returns true if an object has, creates or runs something in the cloud. An editor can write finalizers and annotations, so only
 * signed journal entries, signed records and requests of this process count.
 */
export function hasInCloud(environment: Environment, object: KubeObject): boolean {
  const kind = environment.kinds.get(object.kind);
  if (kind && claimsNothing(kind)) return isRunning(environment, object);
  return environment.claims.of(keyOfObject(object)) !== undefined;
}

function isRunning(environment: Environment, object: KubeObject): boolean {
  const { acting, run } = environment.memory.of(object.metadata.uid);
  if (acting !== undefined) return true;
  if (run?.result !== undefined || storedRecord(environment, object).run?.result !== undefined) return false;
  return (statedEntry(environment, object)?.operations ?? []).length > 0;
}

/**
 * Returns true if an object holds a CloudAccount. In the namespace of the account, the finalizer counts too, because a restore can
 * lose the record of an object. For a foreign namespace, the account must be shared: the owner of the account can withdraw the
 * sharing to release the account.
 */
export function holdsAccount(environment: Environment, account: KubeObject, object: KubeObject): boolean {
  const { namespace = "", finalizers } = object.metadata;
  if (namespace !== account.metadata.namespace) return isShared(account, namespace) && hasInCloud(environment, object);
  return hasInCloud(environment, object) || (finalizers?.includes(finalizer) === true && isKept(environment, object));
}

/** Excludes runs and surveys: the deletion of a run sends no request. */
function isKept({ kinds }: Environment, { kind }: KubeObject): boolean {
  const { shape } = kinds.get(kind) ?? {};
  return shape === "owned" || shape === "setting";
}

export function mayNameExisting(environment: Environment, object: KubeObject): boolean {
  const account = cloudAccountOf(environment, object);
  return account !== undefined && sharesExisting(account, object.metadata.namespace ?? "");
}
