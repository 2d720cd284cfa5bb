import { requireUnrestricted } from "./auth.ts";
import type { Context } from "./operation.ts";
import { TAGS } from "./tables/tag.ts";

/** The tags of an object as stored: each once; they come into being by being used. Only unrestricted users may set them. */
export function useTags({ world, account, caller }: Context, tags: readonly string[]): string[] {
  if (tags.length > 0) requireUnrestricted(caller, "tags");
  const distinct = [...new Set(tags)];
  for (const label of distinct) if (!world.store.get(TAGS, account, label)) world.store.put(TAGS, account, { label });
  return distinct;
}
