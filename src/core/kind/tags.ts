/** Tags in specs. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { asValue } from "./leaf-class.ts";
import { rule, setOf } from "./schema.ts";

/** Prefix of the tag that an installation of the operator sets on its cloud objects. */
export const tagPrefix = "cpo-";

/** Reason for messages: why a tag of a user must not begin with `tagPrefix`. */
export const reservedTag = `the prefix ${tagPrefix} is reserved for the tags of operator installations`;

/** Schema for the tags of a cloud object. */
export const tags = rule(
  setOf(asValue(z.string().min(3).max(50)), 100).describe(
    "Tags, for the account's own ordering. Only an unrestricted user may set them. An empty list means none. If absent, the operator does not manage the list: the cloud keeps its entries.",
  ),
  {
    cel: `self.all(tag, !tag.startsWith('${tagPrefix}'))`,
    check: (all) => !all.some((tag) => tag.startsWith(tagPrefix)),
    message: `${reservedTag}. Choose another tag`,
  },
);

/**
 * The field `tags` of an API object. The service compares tags without regard to case, and shows the case of the existing tag:
 * not-shown, section 9. The operator therefore ignores a difference in case.
 */
export const tagsField = {
  desired: ({ spec }: { spec: { tags?: string[] | undefined } }) => spec.tags && distinct(spec.tags),
  observed: ({ tags: shown }: { tags?: string[] | null | undefined }, wanted?: Json) => inCaseOf(wanted, shown ?? []),
  concerns: "none",
} as const;

/** Returns the sorted tags. If two tags differ only in case, keeps the first. */
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

/** Returns the sorted tags of a row, in the case of the desired tags. */
function inCaseOf(wanted: Json | undefined, shown: string[]): string[] {
  const texts = Array.isArray(wanted) ? wanted.filter((tag) => typeof tag === "string") : [];
  const spelled = new Map(texts.map((tag) => [tag.toLowerCase(), tag]));
  return shown.map((tag) => spelled.get(tag.toLowerCase()) ?? tag).toSorted();
}
