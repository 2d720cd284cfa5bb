/** What uses an account: the account and its token stay until nothing does. */
import type { KubeObject } from "../../cluster/types.ts";
import { accountOf } from "../claim/ownership.ts";
import type { Environment } from "../flow/environment.ts";
import { named } from "../kind/differences.ts";
import { keyOf, keyOfObject, nameOfKey } from "../kind/resource.ts";
import { Waiting } from "../kind/outcome.ts";

/** Keys of objects that name the account, and of those that are gone whose creation is not brought to its end; each once. */
export function usersOf(environment: Environment, account: KubeObject): string[] {
  return [...new Set(users(environment, account))];
}

function* users({ dependents, memory }: Environment, { metadata }: KubeObject): Generator<string> {
  const { namespace = "", name } = metadata;
  yield* dependents.keysOf(keyOf("CloudAccount", namespace, name));
  for (const stray of memory.strays()) if (accountOf(stray) === `${namespace}/${name}`) yield keyOfObject(stray);
}

/** Has all of them reconciled, two hundred in a turn of the event loop. */
export async function wakeUsers(environment: Environment, account: KubeObject): Promise<void> {
  let woken = 0;
  for (const key of users(environment, account)) {
    woken += 1;
    if (woken % 200 === 0) await environment.clock.turn();
    environment.enqueue(key, { cause: "account", urgency: "resync" });
  }
}

/** What an account says that is being deleted. */
export function stillUsed(users: string[]): Waiting {
  return new Waiting(
    "WaitingForDependents",
    `still used by ${named(users.map(nameOfKey))}. The account is deleted after them. Delete them, or change their spec.accountRef`,
  );
}
