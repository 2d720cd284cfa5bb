import { group } from "../core/kind/resource.ts";

export interface AdmissionObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: object;
}

type Operation = "CREATE" | "UPDATE" | "DELETE";

interface PolicySpec {
  /** The decision of the API server if it cannot evaluate an expression: refuse (`Fail`), or permit (`Ignore`). */
  failurePolicy: "Fail" | "Ignore";
  matchConstraints: { resourceRules: object[] };
  matchConditions?: { name: string; expression: string }[];
  variables?: { name: string; expression: string }[];
  validations: object[];
}

/**
 * Returns a ValidatingAdmissionPolicy and a binding with the same name. The binding applies the policy to all
 * namespaces.
 * `action`: refuse the request, or only warn the user.
 */
export function policyWithBinding(name: string, spec: PolicySpec, action: "Deny" | "Warn" = "Deny"): AdmissionObject[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const binding = { policyName: name, validationActions: [action] };
  return [
    { apiVersion, kind: "ValidatingAdmissionPolicy", metadata: { name }, spec },
    { apiVersion, kind: "ValidatingAdmissionPolicyBinding", metadata: { name }, spec: binding },
  ];
}

/** Returns the `matchConstraints` for operations on custom resources of the operator. `resources`: plural names. */
export function customResources(operations: Operation[], resources: string[]): PolicySpec["matchConstraints"] {
  return { resourceRules: [{ apiGroups: [group], apiVersions: ["*"], operations, resources }] };
}
