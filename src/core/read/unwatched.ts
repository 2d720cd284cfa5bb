/**
 * Holders in namespaces that the operator does not watch (`--namespace`). The sharing of an account names the namespaces with
 * possible holders. The operator deletes no cloud object with possible holders in an unwatched namespace.
 */
import type { KubeObject } from "../../cluster/types.ts";
import type { Environment } from "../model/environment.ts";
import type { Connected } from "../model/context.ts";
import type { Holder } from "../model/holder.ts";
import { everyNamespace } from "../account/sharing.ts";
import type { SharingList } from "../account/sharing.ts";
import { unwatchedIn } from "../model/unwatched.ts";
import { accountsOfOwner } from "./same-account.ts";

/**
 * Returns the unwatched namespaces with possible holders of a cloud object. A namespace in `sharing.existing` can use every cloud
 * object of the account. An object of any namespace of the account may have created an adopted cloud object.
 */
export function unwatchedHolders(ctx: Connected): Holder[] {
  if (ctx.environment.namespaces === undefined) return [];
  const list = ctx.next.adopted === true ? "namespaces" : "existing";
  return accountsOfOwner(ctx).flatMap((account) => unwatchedHoldersOf(ctx.environment, account, list, ctx.object));
}

export function unwatchedUsers(environment: Environment, account: KubeObject): Holder[] {
  return unwatchedHoldersOf(environment, account, "namespaces", account);
}

/** `reader`: the object with the message. A reader in another namespace does not learn the names in the list. */
function unwatchedHoldersOf(
  { namespaces }: Environment,
  account: KubeObject,
  list: SharingList,
  reader: KubeObject,
): Holder[] {
  const unwatched = unwatchedIn(account, list, namespaces);
  if (unwatched.length === 0) return [];
  const isNear = account.metadata.namespace === reader.metadata.namespace;
  const place = isNear
    ? `spec.sharing.${list} of CloudAccount ${account.metadata.name}`
    : `spec.sharing.${list} of the account`;
  const which = isNear && !unwatched.includes(everyNamespace) ? unwatched.map((one) => `namespace ${one}`) : [anyOther];
  return which.map((one) => ({ name: `${one} (${place})`, cure: "watch" }));
}

const anyOther = "other namespaces";
