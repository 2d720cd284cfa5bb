import { ACCOUNTS } from "../server/auth/identity.ts";
import { refused } from "../server/errors.ts";
import type { Context } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";

/** Throws 400 if the account has a negative balance (part 2 section 7). */
export function requireFunds({ world, account }: Context): void {
  const owner = world.store.get(ACCOUNTS, SHARED, account);
  if (owner && owner.balance < 0) throw refused("The account has a negative balance");
}

/**
 * Throws 400 if the account has a negative or an outstanding balance. A resize requires a settled account
 * (part 2 section 4.5 rule 4).
 */
export function requireNothingOutstanding(context: Context): void {
  requireFunds(context);
  const owner = context.world.store.get(ACCOUNTS, SHARED, context.account);
  if (owner && owner.balance > 0) throw refused("The account has an outstanding balance");
}
