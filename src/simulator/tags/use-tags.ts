import { requireUnrestricted } from "../server/auth/auth.ts";
import type { Context } from "../server/operation.ts";
import { TAGS } from "./tables.ts";

/**
 * The tags of an object as stored: each once; they come into being by being used. `before` are those that it has:
 * only unrestricted users may add or take away (part 2 section 4.1 rule 7).
 */
export function useTags(
  { world, account, caller }: Context,
  tags: readonly string[],
  before: readonly string[] = [],
): string[] {
  const distinct = [...new Set(tags)];
  const isSame = distinct.length === before.length && distinct.every((label) => before.includes(label));
  if (!isSame) requireUnrestricted(caller, "tags");
  for (const label of distinct) if (!world.store.get(TAGS, account, label)) world.store.put(TAGS, account, { label });
  return distinct;
}
