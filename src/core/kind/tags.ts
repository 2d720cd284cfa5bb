/** Tags in specs. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { asValue } from "./leaf-class.ts";
import { rule, setOf } from "./schema.ts";

/** The beginning of the tag that an installation of the operator puts on its cloud objects. */
export const tagPrefix = "cpo-";

/** For messages: why a tag of a user must not begin with `tagPrefix`. */
export const reservedTag = `${tagPrefix} begins the tag that an installation of the operator puts on what it creates`;

/** Tags of an API object. */
export const tags = rule(
  setOf(asValue(z.string().min(3).max(50)), 100).describe(
    "Tags, for the account's own ordering. Only an unrestricted user may set them.",
  ),
  {
    cel: `self.all(tag, !tag.startsWith('${tagPrefix}'))`,
    check: (all) => !all.some((tag) => tag.startsWith(tagPrefix)),
    message: `${reservedTag}. Choose another tag`,
  },
);

/**
 * The field `tags` of an API object. The service compares tags without regard to case, and shows a tag in the case in which it exists:
 * not-shown, section 9. So a tag counts as the wanted one if only its case differs.
 */
export const tagsField = {
  want: ({ spec }: { spec: { tags?: string[] | undefined } }) => spec.tags && distinct(spec.tags),
  have: ({ tags: shown }: { tags?: string[] | null | undefined }, wanted?: Json) => inCaseOf(wanted, shown ?? []),
};

/** Returns the tags in order; of those that differ only in case, the first. */
function distinct(all: string[]): string[] {
  return [
    ...new Map(
      all
        .toSorted()
        .toReversed()
        .map((tag) => [tag.toLowerCase(), tag]),
    ).values(),
  ].toSorted();
}

/** Returns the tags of a row in order, each in the case of the wanted tag that is the same without regard to case. */
function inCaseOf(wanted: Json | undefined, shown: string[]): string[] {
  const texts = Array.isArray(wanted) ? wanted.filter((tag) => typeof tag === "string") : [];
  const spelled = new Map(texts.map((tag) => [tag.toLowerCase(), tag]));
  return shown.map((tag) => spelled.get(tag.toLowerCase()) ?? tag).toSorted();
}
