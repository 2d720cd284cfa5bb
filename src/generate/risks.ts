import type { Described, Risk } from "../core/kind/described.ts";
import { group } from "../core/kind/resource.ts";
import { customResources, policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";

/** The API server does not warn of the default, because no user chose the default. */
const deletion: Risk = {
  fields: ["management.deletionPolicy", "management.protect"],
  when: "object.spec.?management.?deletionPolicy.orValue('') == 'Delete' && !object.spec.?management.?protect.orValue(false)",
  message:
    "spec.management.deletionPolicy is Delete: deleting this object deletes its data in the cloud. spec.management.protect prevents the deletion",
};

/** Returns the CEL condition for an update that changes none of the fields. */
function unchanged(fields: string[]): string {
  const value = (of: string, field: string) => [`${of}.spec`, ...field.split(".")].join(".?");
  const same = fields.map((field) => `${value("object", field)} == ${value("oldObject", field)}`);
  return `(oldObject != null && ${same.join(" && ")})`;
}

/** Returns the risks of a kind that the API server warns of. */
export function risksOf({ holdsData, risks = [] }: Described): Risk[] {
  return holdsData ? [deletion, ...risks] : risks;
}

/**
 * Returns policies that warn of risky values of a spec. kubectl shows the warnings, and the API server refuses no
 * request. One policy covers one kind, because the API server checks the types of an expression against the schema of
 * one kind.
 */
export function riskPolicies(kinds: Described[]): AdmissionObject[] {
  return kinds.flatMap((kind) => {
    const { plural } = kind;
    const risks = risksOf(kind);
    if (risks.length === 0) return [];
    return policyWithBinding(
      `risks.${plural}.${group}`,
      {
        // A failed warning must not block a user.
        failurePolicy: "Ignore",
        matchConstraints: customResources(["CREATE", "UPDATE"], [plural]),
        // Updates by the operator change no spec. During a deletion, a warning comes too late.
        matchConditions: [
          {
            name: "edited",
            expression:
              "!has(object.metadata.deletionTimestamp) && (oldObject == null || object.spec != oldObject.spec)",
          },
        ],
        validations: risks.map(({ when, message, fields }) => ({
          expression: `!(${when}) || ${unchanged(fields)}`,
          message,
        })),
      },
      "Warn",
    );
  });
}
