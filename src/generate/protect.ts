import type { Described } from "../core/kind/described.ts";
import { group } from "../core/kind/resource.ts";

/** A policy or its binding. */
export interface AdmissionObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: object;
}

const name = "protect.cloudplatform.dev";

/**
 * `spec.management.protect`, at the API server: a delete is refused before a deletionTimestamp exists, which nobody could
 * take back. Deleting the namespace waits for it too; deleting the CRD does not, since that asks no admission.
 */
export function protectPolicy(kinds: Described[]): AdmissionObject[] {
  const resources = kinds.filter(({ spec }) => "management" in spec.shape).map(({ plural }) => plural);
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ["*"], operations: ["DELETE"], resources }],
        },
        validations: [
          {
            expression: "!oldObject.?spec.?management.?protect.orValue(false)",
            message: "spec.management.protect is true: set it to false before deleting this object",
            reason: "Forbidden",
          },
        ],
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
