import * as z from "zod";
import { asValue } from "../core/kind/leaf-class.ts";
import type { AdmissionRule } from "../core/kind/schema.ts";
import { rule } from "../core/kind/schema.ts";

/**
 * Label of an instance or a firewall: part 2, section 2.1; part 3, section 2.2.
 * Begins and ends alphanumeric, and no dash, underscore or period stands twice in a row.
 */
export function strictLabel(maxLength: number) {
  const schema = asValue(z.string().min(3).max(maxLength)).describe(
    "Label in the API; the object's name if not given.",
  );
  return rule(schema, {
    cel: "self.matches('^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$') && !self.contains('--') && !self.contains('__') && !self.contains('..')",
    check: (label) => /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(label) && !/--|__|\.\./.test(label),
    message:
      "must begin and end with a letter or digit and hold only letters, digits, dashes, underscores and periods, none of the last three twice in a row",
  });
}

/** The object's name must do as a label where `spec.label` is not given. */
export function nameFits({ min, max, strict }: { min: number; max: number; strict?: boolean }): AdmissionRule {
  const single = strict ? " && !self.metadata.name.contains('--')" : "";
  return {
    cel: `has(self.spec.label) || (size(self.metadata.name) >= ${min} && size(self.metadata.name) <= ${max}${single})`,
    message: `metadata.name is not a valid label: a label has ${min} to ${max} characters${strict ? " and no two dashes in a row" : ""}. Set spec.label`,
  };
}
