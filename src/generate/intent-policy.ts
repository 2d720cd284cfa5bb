import type { Described } from "../core/kind/described.ts";
import { finalizer, group } from "../core/kind/resource.ts";
import { intentAnnotation, letGoAnnotation, retryCreateAnnotation } from "../core/claim/intent.ts";
import type { AdmissionObject } from "./protect.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const annotationIn = (object: string, name: string): string =>
  `${object}.metadata.?annotations[?'${name}'].orValue('')`;
const intentIn = (object: string): string => annotationIn(object, intentAnnotation);
const managementIn = (field: string): string => `object.?spec.?management.?${field}.orValue('')`;
const carries = (object: string): string => `'${finalizer}' in ${object}.metadata.?finalizers.orValue([])`;

const intentKept = {
  expression: `${intentIn("object")} in ['', ${intentIn("oldObject")}]`,
  message: [
    `the annotation ${intentAnnotation} is the operator's signed record of what it created for this object, and only the operator changes it.`,
    "To take over a cloud object that exists, set spec.management.adopt.id;",
    `to allow another attempt to create one, set the annotation ${retryCreateAnnotation};`,
    `to leave it in the cloud and let this object go, set ${letGoAnnotation}.`,
    "Where the annotation came with a manifest, remove it there.",
  ].join(" "),
  reason: "Forbidden",
};

const finalizerKept = {
  expression: [
    `!(${carries("oldObject")})`,
    carries("object"),
    `${annotationIn("object", letGoAnnotation)} == 'true'`,
    `${managementIn("deletionPolicy")} == 'Orphan'`,
    `${managementIn("policy")} == 'Observe'`,
  ].join(" || "),
  message: [
    `this update drops the finalizer ${finalizer}, without which a deletion would leave the cloud object behind.`,
    "kubectl replace drops what its manifest does not name: use kubectl apply, with or without --server-side, which keeps it.",
    "To delete the cloud object, delete this object.",
    `To leave it in the cloud, set the annotation ${letGoAnnotation} to true, or spec.management.deletionPolicy to Orphan, and delete this object;`,
    "where no operator is at work any more, the finalizer may then be removed.",
  ].join(" "),
  reason: "Forbidden",
};

/**
 * What the operator notes on an object is changed by the operator alone. The intent may be removed, which the operator
 * mends, and be brought with a new object, as a restore from a backup does. It is a second line of defence and an early
 * word: what is not signed proves nothing to the operator anyway.
 *
 * The finalizer goes by another hand only where the object says that the cloud object is to stay: between its loss and
 * the operator's putting it back a deletion would leave the cloud object without a word. It is refused, not kept by a
 * MutatingAdmissionPolicy, since that is off by default before Kubernetes 1.36.
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
        matchConditions: [{ name: "others", expression: `request.userInfo.username != '${user}'` }],
        validations: [intentKept, finalizerKept],
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
