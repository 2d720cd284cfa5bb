import { journalAnnotation, orphanAnnotation, retryCreateAnnotation } from "../core/kind/annotations.ts";
import type { Described } from "../core/kind/described.ts";
import { finalizer } from "../core/kind/resource.ts";
import { customResources, policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";

const annotationIn = (object: string, name: string): string =>
  `${object}.metadata.?annotations[?'${name}'].orValue('')`;
const entryIn = (object: string): string => annotationIn(object, journalAnnotation);
const managementIn = (field: string): string => `object.?spec.?management.?${field}.orValue('')`;
const carries = (object: string): string => `'${finalizer}' in ${object}.metadata.?finalizers.orValue([])`;

const entryKept = {
  expression: `${entryIn("object")} in ['', ${entryIn("oldObject")}]`,
  message: [
    `the annotation ${journalAnnotation} is the operator's signed record of the cloud object. Only the operator may change the annotation.`,
    "To adopt an existing cloud object, set spec.management.adopt.id.",
    `To permit another create request, set the annotation ${retryCreateAnnotation}.`,
    `To delete this object and keep the cloud object, set the annotation ${orphanAnnotation}.`,
    "If the annotation is in a manifest, remove the annotation from the manifest.",
  ].join(" "),
  reason: "Forbidden",
};

const finalizerKept = {
  expression: [
    `!(${carries("oldObject")})`,
    carries("object"),
    `${annotationIn("object", orphanAnnotation)} == 'true'`,
    `${managementIn("deletionPolicy")} == 'Orphan'`,
    `${managementIn("policy")} == 'Observe'`,
  ].join(" || "),
  message: [
    `this update drops the finalizer ${finalizer}. Without the finalizer, a deletion would leave the cloud object behind.`,
    "kubectl replace drops fields that are not in the manifest. kubectl apply keeps the finalizer, with or without --server-side.",
    "To delete the cloud object, delete this object.",
    `To keep the cloud object, set the annotation ${orphanAnnotation} to true, or spec.management.deletionPolicy to Orphan, and delete this object.`,
    "If no operator runs, you may then remove the finalizer.",
  ].join(" "),
  reason: "Forbidden",
};

const recordIn = (object: string): string => `${object}.?status.?record.orValue('')`;

const recordKept = {
  expression: `${recordIn("object")} == ${recordIn("oldObject")}`,
  message: "status.record is the operator's signed record of the cloud object, and only the operator changes it.",
  reason: "Forbidden",
};

/**
 * Returns the policy that keeps users from changing the operator's annotation, its record and its finalizer. The operator
 * does not trust an annotation or a record without its signature: the policy is a second line of defence and an early
 * message.
 *
 * A user may remove the annotation: the operator writes the annotation again. A user may create an object with the
 * annotation, as a restore from a backup does.
 *
 * A user may remove the finalizer only if the object says that the cloud object stays. Without the finalizer, a
 * deletion would orphan the cloud object silently. The policy rejects the request. A MutatingAdmissionPolicy could
 * restore the finalizer, but Kubernetes before 1.36 switches such policies off by default.
 */
export function journalPolicy(kinds: Described[], { name, user }: { name: string; user: string }): AdmissionObject[] {
  const resources = kinds.filter(({ spec }) => "management" in spec.shape).map(({ plural }) => plural);
  return policyWithBinding(name, {
    failurePolicy: "Fail",
    matchConstraints: customResources(["UPDATE"], [...resources, "*/status"]),
    matchConditions: [{ name: "others", expression: `request.userInfo.username != '${user}'` }],
    validations: [entryKept, recordKept, finalizerKept],
  });
}
