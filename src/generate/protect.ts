import type { Described } from "../core/kind/described.ts";
import { customResources, policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";

const name = "protect.cloudplatform.dev";
const byDefault = "protect-by-default.cloudplatform.dev";

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

/**
 * Returns the policy of the setting `protectByDefault`. The API server rejects the deletion of an object with data in the
 * cloud, unless the manifest contains `spec.management.protect: false`. `protect: true` is part of the other policy.
 */
export function protectByDefaultPolicy(kinds: Described[]): AdmissionObject[] {
  const resources = kinds.filter(({ loses }) => loses !== undefined).map(({ plural }) => plural);
  return policyWithBinding(byDefault, {
    failurePolicy: "Fail",
    matchConstraints: customResources(["DELETE"], resources),
    validations: [
      {
        expression: "oldObject.?spec.?management.?protect.hasValue()",
        message:
          "this installation protects objects with data in the cloud (protectByDefault): set spec.management.protect to false before deleting this object",
        reason: "Forbidden",
      },
    ],
  });
}
