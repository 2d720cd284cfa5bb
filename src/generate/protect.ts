import type { Described } from "../core/kind/described.ts";
import { customResources, policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";

const name = "protect.cloudplatform.dev";

/**
 * Returns the policy for `spec.management.protect`. The API server rejects the deletion of a protected object, because
 * a deletionTimestamp is final. The deletion of the namespace waits too. The deletion of the CRD calls no admission
 * policy.
 */
export function protectPolicy(kinds: Described[]): AdmissionObject[] {
  const resources = kinds.filter(({ spec }) => "management" in spec.shape).map(({ plural }) => plural);
  return policyWithBinding(name, {
    failurePolicy: "Fail",
    matchConstraints: customResources(["DELETE"], resources),
    validations: [
      {
        expression: "!oldObject.?spec.?management.?protect.orValue(false)",
        message: "spec.management.protect is true: set it to false before deleting this object",
        reason: "Forbidden",
      },
    ],
  });
}
