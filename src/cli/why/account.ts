/** Causes in the CloudAccount of an object: the account, its sharing, its Secret. */
import type { KubeObject } from "../../cluster/types.ts";
import type { AccountSpec } from "../../core/kind/account-spec.ts";
import { isReady } from "../../core/kind/object.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { reachOf } from "../../core/kind/reach.ts";
import { reasonDocs } from "../../core/kind/reasons.ts";
import { accountOf } from "../../core/model/owners.ts";
import { grantsIn, isShared } from "../../core/account/sharing.ts";
import type { Named } from "../objects.ts";
import { patchCommand, storeCommand } from "./cures.ts";
import type { Link } from "./link.ts";
import type { Look } from "./look.ts";

/** Explains an account. A parameter, because modules of the explanation would import each other. */
export type Explain = (kind: string, object: KubeObject) => Promise<Link>;

/** Returns the causes in the account of an object. Empty if the account is ready and shared. */
export async function accountCauses(look: Look, { kind, object }: Named, explain: Explain): Promise<Link[]> {
  if (kind.kind === "CloudAccount") return [];
  const [namespace = "", name = ""] = accountOf(object).split("/");
  const account = await look.object("CloudAccount", namespace, name);
  if (account === "hidden") return [];
  if (account === "absent") return [absentAccount(namespace, name)];
  const list = missingShare({ kind, object }, account);
  if (list) return [unshared(account, object, list)];
  return isReady(account.status ?? {}) ? [] : [await explain("CloudAccount", account)];
}

function absentAccount(namespace: string, name: string): Link {
  return {
    subject: `CloudAccount ${namespace}/${name}`,
    message: `CloudAccount ${name} does not exist in namespace ${namespace}`,
    cure: reasonDocs.WaitingForAccount.cure,
    commands: [],
    because: [],
  };
}

/** Returns what the cloud API answers now. Empty if the user may not read the token. */
export async function cloudCauses(look: Look, { kind, object }: Named): Promise<Link[]> {
  const { namespace, name } = object.metadata;
  const account = kind.kind === "CloudAccount" ? `${namespace}/${name}` : accountOf(object);
  const found = await look.cloud(account);
  if (found === "hidden") return [];
  const subject = `cloud API of CloudAccount ${account}`;
  const about = { subject, commands: ["kubectl cloudplatform doctor"], because: [] };
  if (found.answers)
    return [{ ...about, message: "the cloud API answers now", cure: reasonDocs.CloudUnavailable.cure }];
  const cure = "Wait until the cloud API answers, or correct the network, the proxy or the endpoint of the operator.";
  return [{ ...about, message: `the cloud API does not answer this machine either: ${found.why}`, cure }];
}

type SharingList = "namespaces" | "existing" | "accountWide";

/** Returns the list of `spec.sharing` that lacks the namespace of the object. */
function missingShare({ kind, object }: Named, account: KubeObject): SharingList | undefined {
  const { namespace = "" } = object.metadata;
  if (!isShared(account, namespace)) return "namespaces";
  const grants = grantsIn(account, accountOf(object), namespace);
  if (kind.reach === undefined) return undefined;
  const { reach } = reachOf(kind as Pick<Kind, "kind" | "reach">, object.spec ?? {});
  if (reach === "account" && !grants.accountWide) return "accountWide";
  const adopts = (object.spec as { management?: { adopt?: object } } | undefined)?.management?.adopt !== undefined;
  return (reach === "existing" || adopts) && !grants.existing ? "existing" : undefined;
}

function unshared(account: KubeObject, object: KubeObject, list: SharingList): Link {
  const { namespace = "" } = object.metadata;
  const { sharing } = (account.spec ?? {}) as Partial<AccountSpec>;
  const namespaces = [...new Set([...(sharing?.namespaces ?? []), namespace])];
  const named = list === "namespaces" ? {} : { [list]: [...new Set([...(sharing?.[list] ?? []), namespace])] };
  const name = `${account.metadata.namespace}/${account.metadata.name}`;
  return {
    subject: `CloudAccount ${name}`,
    reason: "NotShared",
    message: `spec.sharing.${list} of CloudAccount ${name} does not contain namespace ${namespace}`,
    cure: reasonDocs.NotShared.cure,
    commands: [patchCommand(account, { spec: { sharing: { namespaces, ...named } } })],
    object: account,
    because: [],
  };
}

/** Returns the cause in the Secret of a CloudAccount whose token is missing, malformed or rejected. */
export async function tokenCauses(look: Look, account: KubeObject, reason: string): Promise<Link[]> {
  const { tokenSecretRef } = (account.spec ?? {}) as Partial<AccountSpec>;
  const { namespace = "" } = account.metadata;
  if (!tokenSecretRef || !["TokenMissing", "TokenMalformed", "TokenRejected"].includes(reason)) return [];
  const { name, key = "token" } = tokenSecretRef;
  const keys = await look.keys("Secret", namespace, name);
  const exists = keys !== "absent";
  const said: Record<string, string> = {
    TokenMissing: exists ? `Secret ${name} has no value under the key ${key}` : `Secret ${name} does not exist`,
    TokenMalformed: `the value under the key ${key} of Secret ${name} is no token`,
    TokenRejected: `the cloud API rejects the token under the key ${key} of Secret ${name}`,
  };
  return [
    {
      subject: `Secret ${namespace}/${name}`,
      reason,
      message: `${said[reason]} in namespace ${namespace}`,
      cure: reasonDocs[reason as "TokenMissing"].cure,
      commands: [storeCommand("Secret", namespace, { name, key, exists })],
      because: [],
    },
  ];
}
