/** Users of an account, and the users that hold the account with the token. */
import type { KubeObject } from "../../cluster/types.ts";
import { accountOf } from "../model/owners.ts";
import type { Environment } from "../model/environment.ts";
import { keyOf, keyOfObject, nameOfKey, parseKey } from "../kind/resource.ts";
import type { Waiting } from "../kind/outcome.ts";
import { waitForHolders } from "../model/holder.ts";
import type { Holder, HolderWords } from "../model/holder.ts";
import { disabledUsers } from "./disabled-kinds.ts";
import { holdsAccount } from "./holding.ts";
import { unwatchedUsers } from "./unwatched.ts";

/**
 * Returns the keys of the holders of an account, without duplicates. A mere reference to the account does not hold the
 * account.
 */
export function accountHolders(environment: Environment, account: KubeObject): string[] {
  const { caches, dependents, memory } = environment;
  const { namespace = "", name } = account.metadata;
  const holding = [...dependents.keysOf(keyOf("CloudAccount", namespace, name))].filter((key) => {
    const { kind, ...ref } = parseKey(key);
    const object = caches.get(kind)?.get(ref);
    return object !== undefined && holdsAccount(environment, account, object);
  });
  // The operator must still delete the cloud object of a vanished custom resource.
  const strays = memory.orphanedCreates().filter((stray) => accountOf(stray) === `${namespace}/${name}`);
  return [...new Set([...holding, ...strays.map(keyOfObject)])];
}

/**
 * Returns the holders of an account for its condition, with objects of disabled kinds and unwatched namespaces. Counts the objects of a foreign namespace,
 * because the owner of the account ends the hold of a namespace as a whole.
 */
export function holdersIn(environment: Environment, account: KubeObject): Holder[] {
  const { namespace: home = "" } = account.metadata;
  const keys = accountHolders(environment, account);
  const near = keys.filter((key) => parseKey(key).namespace === home).map(nameOfKey);
  const far = [...Map.groupBy(keys, (key) => parseKey(key).namespace)].filter(([namespace]) => namespace !== home);
  const counted = far.map(
    ([namespace, { length }]) => `${length} object${length === 1 ? "" : "s"} of namespace ${namespace}`,
  );
  return [
    ...near.map((name): Holder => ({ name, cure: "delete" })),
    ...counted.map((name): Holder => ({ name, cure: "unshare" })),
    ...disabledUsers(environment, account).map((name): Holder => ({ name, cure: "enable" })),
    ...unwatchedUsers(environment, account),
  ];
}

const accountWords: HolderWords = {
  relation: "used",
  next: "The operator releases the account when no object uses it",
  unseen: "The operator keeps the account and its token",
  advice: {
    delete: "Delete them",
    unshare: "or remove their namespaces from spec.sharing.namespaces: what they have in the cloud then stays",
    enable: "or enable the kinds that are switched off, so that the operator can delete them",
  },
};

export function stillUsed(held: Holder[]): Waiting {
  return waitForHolders(held, accountWords);
}

/** Reconciles every user of the account. A turn of the event loop handles two hundred users. */
export async function wakeUsers(environment: Environment, account: KubeObject): Promise<void> {
  const { namespace = "", name } = account.metadata;
  let woken = 0;
  for (const key of userKeys(environment, keyOf("CloudAccount", namespace, name), `${namespace}/${name}`)) {
    woken += 1;
    if (woken % 200 === 0) await environment.clock.turn();
    environment.enqueue(key, { cause: "account", urgency: "resync" });
  }
}

function* userKeys({ dependents, memory }: Environment, key: string, account: string): Generator<string> {
  yield* dependents.keysOf(key);
  for (const stray of memory.orphanedCreates()) if (accountOf(stray) === account) yield keyOfObject(stray);
}
