import * as z from "zod";
import { asValue } from "../core/kind/leaf-class.ts";
import type { AdmissionRule } from "../core/kind/schema.ts";
import { nameLength } from "./name-length.ts";
import { rule } from "../core/kind/schema.ts";

/**
 * Label of an instance or a firewall: part 2, section 2.1; part 3, section 2.2.
 * Begins and ends alphanumeric, without two consecutive dashes, underscores or periods.
 */
export function strictLabel(maxLength: number) {
  const schema = asValue(z.string().min(3).max(maxLength)).describe(
    "Label in the API. Defaults to the name of the object.",
  );
  return rule(schema, {
    cel: "self.matches('^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$') && !self.contains('--') && !self.contains('__') && !self.contains('..')",
    check: (label) => /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(label) && !/--|__|\.\./.test(label),
    message:
      "must begin and end with a letter or digit and hold only letters, digits, dashes, underscores and periods, none of the last three twice in a row",
  });
}

/** Without `spec.label`, the name of the object must be a valid label. */
export function nameFits({ min, max, strict }: { min: number; max: number; strict?: boolean }): AdmissionRule {
  const limit = `a label has ${min} to ${max}`;
  const length = nameLength({ unless: "has(self.spec.label)", min, max, limit, set: "spec.label" });
  if (!strict) return length;
  const dashes = "has two dashes in a row; a label has single dashes. Set spec.label";
  const double = "self.metadata.name.contains('--')";
  return {
    ...length,
    cel: `${length.cel} && !${double}`,
    messageExpression: `${double} ? '${dashes}' : ${length.messageExpression}`,
  };
}

/** The field \`label\` of an API object. Defaults to the name of the object. */
export const labelField = {
  desired: ({ spec, name }: { spec: { label?: string | undefined }; name: string }) => spec.label ?? name,
  observed: ({ label }: { label: string }) => label,
  key: true,
  concerns: "none",
} as const;
