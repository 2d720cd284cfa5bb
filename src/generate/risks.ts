import type { Described, Risk } from "../core/kind/described.ts";
import { group } from "../core/kind/resource.ts";
import type { AdmissionObject } from "./protect.ts";

const apiVersion = "admissionregistration.k8s.io/v1";

/** The default is no choice that somebody made, so that it warns of nothing. */
const deletion: Risk = {
  when: "object.spec.?management.?deletionPolicy.orValue('') == 'Delete' && !object.spec.?management.?protect.orValue(false)",
  message:
    "spec.management.deletionPolicy is Delete: deleting this object deletes its data in the cloud. spec.management.protect refuses that",
};

/** All that the API server warns of. */
export function risksOf({ holdsData, risks = [] }: Described): Risk[] {
  return holdsData ? [deletion, ...risks] : risks;
}

/**
 * What a spec may say and a person may regret, as warnings that kubectl shows: nothing is refused. There is one policy for
 * each kind, since the API server checks the types of an expression against the schema of one kind.
 */
export function riskPolicies(kinds: Described[]): AdmissionObject[] {
  return kinds.flatMap((kind) => {
    const { plural } = kind;
    const risks = risksOf(kind);
    if (risks.length === 0) return [];
    const name = `risks.${plural}.${group}`;
    return [
      {
        apiVersion,
        kind: "ValidatingAdmissionPolicy",
        metadata: { name },
        spec: {
          // A warning that cannot be given must stop nobody.
          failurePolicy: "Ignore",
          matchConstraints: {
            resourceRules: [
              { apiGroups: [group], apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources: [plural] },
            ],
          },
          // What the operator writes, and an object on its way out, warn nobody.
          matchConditions: [
            {
              name: "edited",
              expression:
                "!has(object.metadata.deletionTimestamp) && (oldObject == null || object.spec != oldObject.spec)",
            },
          ],
          validations: risks.map(({ when, message }) => ({ expression: `!(${when})`, message })),
        },
      },
      {
        apiVersion,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name },
        spec: { policyName: name, validationActions: ["Warn"] },
      },
    ];
  });
}
