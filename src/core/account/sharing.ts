/** Permissions of a namespace in a CloudAccount, by `spec.sharing` of the account. */
import type { KubeObject } from "../../cluster/types.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";

/** Permissions of a namespace in an account. */
export interface Grants {
  /** The namespace may name, adopt and change cloud objects of other users. */
  existing: boolean;
  /** The namespace may use kinds with the reach `account`. */
  accountWide: boolean;
}

/** A list of namespaces in `spec.sharing`. */
export type SharingList = "namespaces" | "existing" | "accountWide";

/** Entry of a list for every namespace. */
export const everyNamespace = "*";

/** Returns the permissions of a namespace. `account`: `namespace/name` of the CloudAccount. */
export function grantsIn(cloudAccount: KubeObject | undefined, account: string, namespace: string): Grants {
  const may = (list: SharingList) => isListed(cloudAccount, account, namespace, list);
  return { existing: may("existing"), accountWide: may("accountWide") };
}

/** Returns true if objects of a namespace may use this CloudAccount. */
export function isShared(cloudAccount: KubeObject, namespace: string): boolean {
  return isListed(cloudAccount, accountName(cloudAccount), namespace, "namespaces");
}

/** Returns true if objects of a namespace may also name existing cloud objects of the account. */
export function sharesExisting(cloudAccount: KubeObject, namespace: string): boolean {
  return isShared(cloudAccount, namespace) && grantsIn(cloudAccount, accountName(cloudAccount), namespace).existing;
}

/**
 * Returns the other namespaces with a permission in the account, or `*` for every namespace. A permission also needs
 * `sharing.namespaces`.
 */
export function sharedWith({ spec, metadata }: KubeObject, list: SharingList): string[] {
  const { sharing } = (spec ?? {}) as Partial<AccountSpec>;
  const { namespaces = [], [list]: named = [] } = sharing ?? {};
  const both = named.includes(everyNamespace) ? namespaces : named.filter((one) => isIn(namespaces, one));
  return both.filter((one) => one !== metadata.namespace);
}

function accountName({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isListed(
  cloudAccount: KubeObject | undefined,
  account: string,
  namespace: string,
  list: SharingList,
): boolean {
  if (account.startsWith(`${namespace}/`)) return true;
  const { sharing } = (cloudAccount?.spec ?? {}) as Partial<AccountSpec>;
  const { [list]: named = [] } = sharing ?? {};
  return isIn(named, namespace);
}

function isIn(named: readonly string[], namespace: string): boolean {
  return named.includes(namespace) || named.includes(everyNamespace);
}

/** Returns the verdict for a namespace without access. The text does not tell whether the account exists. */
export function notShared(account: string, namespace: string): Stalled {
  return new Stalled(
    "NotShared",
    `spec.accountRef: CloudAccount ${account} does not exist, or is not shared with namespace ${namespace}. No request is sent. The owner of the account can add the namespace to spec.sharing.namespaces`,
  );
}

/** Returns the verdict for an object with a field, or a reach, beyond the permissions of the namespace. */
export function notPermitted(
  what: string,
  account: string,
  namespace: string,
  list: "existing" | "accountWide",
): Stalled {
  const lacks = list === "existing" ? "share existing cloud objects" : "permit changes of the whole account";
  const to = list === "existing" ? "with" : "to";
  return new Stalled(
    "NotShared",
    `${what}. CloudAccount ${account} does not ${lacks} ${to} namespace ${namespace}. No request is sent. The owner of the account can add the namespace to spec.sharing.${list}`,
  );
}
