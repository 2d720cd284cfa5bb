import * as z from "zod";
import { rule } from "../core/kind/schema.ts";

/** Name of a Secret that the operator publishes. */
export function secretName(description: string) {
  return rule(z.string().min(1).max(253).describe(description), {
    cel: "self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",
    check: (value) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(value),
    message: "must be the name of a Secret: lower case letters, digits, dashes and periods",
  });
}
