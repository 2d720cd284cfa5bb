/** Checks the CloudAccounts of a namespace: their conditions, their tokens, and the cloud behind them. */
import type { KubeObject } from "../../cluster/types.ts";
import { isReady } from "../../core/kind/object.ts";
import { textOf } from "../failure.ts";
import { kindNamed, titleOf } from "../objects.ts";
import type { Session } from "../session.ts";
import { explainObject } from "../why/explain.ts";
import { rootsOf } from "../why/link.ts";
import { createLook } from "../why/look.ts";
import { checkCloud } from "./cloud.ts";
import { ok, unknown, wrong } from "./finding.ts";
import type { Finding } from "./finding.ts";

const kind = kindNamed("CloudAccount");

export async function checkAccounts(session: Session): Promise<Finding[]> {
  const accounts = await accountsOf(session);
  if (accounts.length === 0) {
    const cure = "Create a Secret with the token and a CloudAccount named default, or name one with -n or --account";
    return [wrong("account", "no CloudAccount exists in the namespace", cure)];
  }
  return (await Promise.all(accounts.map((account) => checkAccount(session, account)))).flat();
}

async function accountsOf(session: Session): Promise<KubeObject[]> {
  const cluster = session.cluster();
  const { account } = session.flags;
  const [name, namespace = cluster.listed] = (account ?? "").split("/").toReversed();
  const all = await cluster.objects(kind, namespace);
  return account === undefined ? all : all.filter(({ metadata }) => metadata.name === name);
}

async function checkAccount(session: Session, object: KubeObject): Promise<Finding[]> {
  const title = titleOf(object);
  const found = isReady(object.status ?? {}) ? [ok("account", `${title} is Ready`)] : await problemsOf(session, object);
  return [...found, ...(await throughToken(session, object, title))];
}

async function problemsOf(session: Session, object: KubeObject): Promise<Finding[]> {
  const links = await explainObject(createLook(session), { kind, object });
  const roots = links.flatMap(rootsOf);
  return roots.map(({ message, cure, commands }) => wrong("account", message, [cure, ...commands].join(" ")));
}

async function throughToken(session: Session, { metadata }: KubeObject, title: string): Promise<Finding[]> {
  const name = `${metadata.namespace}/${metadata.name}`;
  try {
    const account = await session.accountOf(name);
    return await checkCloud({ ...session, flags: { ...session.flags, account: name } }, account, title);
  } catch (error) {
    // The condition of the account already names a missing or malformed token.
    return [unknown("token", textOf(error))];
  }
}
