/** CloudAccounts for the real account of a cloud object. */
import type { KubeObject } from "../../cluster/types.ts";
import { accountOf, cloudAccountOf, mayShareAccount, realAccountOf } from "../model/owners.ts";
import type { Connected } from "../model/context.ts";

/** Returns the CloudAccounts that can give access to the cloud object. */
export function accountsOfSame(ctx: Connected): KubeObject[] {
  return accountsWhere(ctx, (inAccount) => mayShareAccount(ctx.environment, inAccount, ctx.object));
}

/**
 * Returns the CloudAccounts whose sharing can keep the cloud object: CloudAccounts of the same proven real account, and
 * of the namespace of the object's CloudAccount. A foreign CloudAccount without a known identity does not count,
 * because its sharing must not stop deletions.
 */
export function accountsOfOwner(ctx: Connected): KubeObject[] {
  const { environment, object } = ctx;
  const [home] = accountOf(object).split("/");
  const real = realAccountOf(environment, object, false);
  return accountsWhere(ctx, (inAccount, { metadata: { namespace } }) =>
    namespace === home
      ? mayShareAccount(environment, inAccount, object)
      : realAccountOf(environment, inAccount, false) === real,
  );
}

/** `isMeant` gets a copy of the object in the other account, for the comparison of accounts. */
function accountsWhere(
  { environment, object }: Connected,
  isMeant: (inAccount: KubeObject, account: KubeObject) => boolean,
): KubeObject[] {
  const own = cloudAccountOf(environment, object);
  return [...(environment.caches.get("CloudAccount")?.objects() ?? [])].filter((account) => {
    const { namespace, name } = account.metadata;
    return account === own || isMeant({ ...object, spec: { accountRef: { namespace, name } } }, account);
  });
}
