import type { Described } from "../core/define-kind.ts";
import { group } from "../core/environment.ts";
import { intentAnnotation, letGoAnnotation, retryCreateAnnotation } from "../core/claim/intent.ts";
import type { AdmissionObject } from "./protect.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const intentIn = (object: string): string => `${object}.metadata.?annotations[?'${intentAnnotation}'].orValue('')`;

const message = [
  `the annotation ${intentAnnotation} is the operator's signed record of what it created for this object, and only the operator changes it.`,
  "To take over a cloud object that exists, set spec.management.adopt.id;",
  `to allow another attempt to create one, set the annotation ${retryCreateAnnotation};`,
  `to leave it in the cloud and let this object go, set ${letGoAnnotation}.`,
  "Where the annotation came with a manifest, remove it there.",
].join(" ");

/**
 * What the operator notes on an object is changed by the operator alone. Removing it is allowed, since `kubectl replace`
 * does (the operator puts it back), and so is bringing one with a new object, as a restore from a backup does. It is a
 * second line of defence and an early word: what is not signed proves nothing to the operator anyway.
 */
export function intentPolicy(kinds: Described[], { name, user }: { name: string; user: string }): AdmissionObject[] {
  const resources = kinds.filter(({ spec }) => "management" in spec.shape).map(({ plural }) => plural);
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ["*"], operations: ["UPDATE"], resources }],
        },
        matchConditions: [
          { name: "others", expression: `request.userInfo.username != '${user}'` },
          { name: "changed", expression: `${intentIn("object")} != ${intentIn("oldObject")}` },
        ],
        validations: [{ expression: `${intentIn("object")} == ''`, message, reason: "Forbidden" }],
      },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
