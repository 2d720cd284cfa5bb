/** The policy Observe: nothing is changed, and the status shows what the cloud has. */
import { accountNamed, observes } from "../claim/ownership.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import type { Connected } from "./reconciliation.ts";

/** Whether the status is to say what the cloud has; the account may switch it off. */
export function showsObserved({ object, environment, session }: Connected): boolean {
  const account = accountNamed(environment, session.account);
  return observes(object) && (account?.spec as AccountSpec | undefined)?.reportObserved !== false;
}
