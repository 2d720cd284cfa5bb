import { requireUnrestricted } from "../server/auth/auth.ts";
import type { Context } from "../server/operation.ts";
import type { World } from "../server/world.ts";
import { TAGS } from "./tables.ts";

/** Returns the label as the account has it: tags are unique without regard to case. */
export function existingTag(world: World, account: string, label: string): string {
  return world.store.find(TAGS, account, "label", label)[0]?.label ?? label;
}

/**
 * The tags of an object as stored: each once; they come into being by being used. `before` are those that it has:
 * only unrestricted users may add or take away (part 2 section 4.1 rule 7).
 */
export function useTags(
  { world, account, caller }: Context,
  tags: readonly string[],
  before: readonly string[] = [],
): string[] {
  const distinct = [...new Set(tags.map((label) => existingTag(world, account, label)))];
  const isSame = distinct.length === before.length && distinct.every((label) => before.includes(label));
  if (!isSame) requireUnrestricted(caller, "tags");
  for (const label of distinct) if (!world.store.get(TAGS, account, label)) world.store.put(TAGS, account, { label });
  return distinct;
}
