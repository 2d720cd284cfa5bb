/** The policy Observe: nothing is changed, and the status shows what the cloud has. */
import type { AccountSpec } from "../kind/account-spec.ts";
import type { Connected, Reconciliation } from "./reconciliation.ts";
import { specOf } from "./reconciliation.ts";

export function observes({ object }: Pick<Reconciliation, "object">): boolean {
  return specOf(object).management?.policy === "Observe";
}

/** Whether the status is to say what the cloud has; the account may switch it off. */
export function showsObserved({ object, environment, session }: Connected): boolean {
  const [namespace = "", name = ""] = session.account.split("/");
  const account = environment.caches.get("CloudAccount")?.get({ namespace, name });
  return observes({ object }) && (account?.spec as AccountSpec | undefined)?.reportObserved !== false;
}
