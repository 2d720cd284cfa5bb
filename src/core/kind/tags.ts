/** Tags in specs. */
import * as z from "zod";
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
