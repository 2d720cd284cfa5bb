import { requireUnrestricted } from "../server/auth/auth.ts";
import type { Context } from "../server/operation.ts";
import type { World } from "../server/world.ts";
import { TAGS } from "./tables.ts";

/** Returns the stored spelling of a tag, because tags are unique without regard to case. */
export function existingTag(world: World, account: string, label: string): string {
  return world.store.find(TAGS, account, "label", label)[0]?.label ?? label;
}

/**
 * Returns the distinct tags to store on an object, and creates missing tags.
 * Throws 403 if a restricted user adds or removes tags (part 2 section 4.1 rule 7). `before` are the stored tags.
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
