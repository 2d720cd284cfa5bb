/**
 * Room `core/model`: types and pure functions of the core. The room imports `core/kind`, and types of other rooms.
 *
 * Permissions of a namespace in a CloudAccount, by `spec.sharing` of the account.
 */
import type { KubeObject } from "../../cluster/types.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";

/** Permissions of a namespace in an account. */
export interface Leave {
  /** The namespace may name, adopt and change cloud objects of other users. */
  existing: boolean;
  /** The namespace may use kinds with the reach `account`. */
  accountWide: boolean;
}

type List = "namespaces" | "existing" | "accountWide";

/** Returns the permissions of a namespace. `account`: `namespace/name` of the CloudAccount. */
export function leaveOf(cloudAccount: KubeObject | undefined, account: string, namespace: string): Leave {
  const may = (list: List) => isListed(cloudAccount, account, namespace, list);
  return { existing: may("existing"), accountWide: may("accountWide") };
}

/** Returns true if objects of a namespace may use this CloudAccount. */
export function isShared(cloudAccount: KubeObject, namespace: string): boolean {
  return isListed(cloudAccount, nameIn(cloudAccount), namespace, "namespaces");
}

/** Returns true if objects of a namespace may also name existing cloud objects of the account. */
export function sharesExisting(cloudAccount: KubeObject, namespace: string): boolean {
  return isShared(cloudAccount, namespace) && leaveOf(cloudAccount, nameIn(cloudAccount), namespace).existing;
}

/** Returns the namespaces that may name existing cloud objects; undefined: every namespace. */
export function namespacesWithExisting({ spec, metadata }: KubeObject): string[] | undefined {
  const { existing = [] } = (spec as Partial<AccountSpec> | undefined)?.sharing ?? {};
  return existing.includes("*") ? undefined : [metadata.namespace ?? "", ...existing];
}

function nameIn({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isListed(cloudAccount: KubeObject | undefined, account: string, namespace: string, list: List): boolean {
  if (account.startsWith(`${namespace}/`)) return true;
  const { sharing } = (cloudAccount?.spec ?? {}) as Partial<AccountSpec>;
  const { [list]: named = [] } = sharing ?? {};
  return named.includes(namespace) || named.includes("*");
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
