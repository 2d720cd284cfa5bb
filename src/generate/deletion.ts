import type { Described } from "../core/kind/described.ts";
import { nounOf } from "../core/kind/naming.ts";
import type { Kind } from "../core/kind/owned.ts";
import { group } from "../core/kind/resource.ts";
import { orphanAnnotation } from "../core/kind/annotations.ts";
import { customResources, policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";

const management = "oldObject.?spec.?management";

/**
 * Returns the policy that warns of a deletion if the operator then deletes data or an adopted cloud object in the cloud. kubectl
 * shows the warning, also with `--dry-run=server`. The API server refuses no request.
 *
 * `protectByDefault`: CEL expression for the setting of the installation.
 */
export function deletionPolicy(kinds: Described[], protectByDefault: string): AdmissionObject[] {
  const deleted = (kinds as Kind[]).filter(({ shape, stays }) => shape === "owned" && stays === undefined);
  const losing = deleted.filter(({ loses }) => loses !== undefined).map(({ plural }) => `'${plural}'`);
  const losses = deleted.map((kind) => `'${kind.plural}': '${kind.loses ?? `the adopted ${nounOf(kind)}`}'`);
  const conditions = {
    // The operator created other cloud objects itself, and can create them again.
    worthy: `request.resource.resource in [${losing.join(", ")}] || ${management}.?adopt.hasValue()`,
    first: "!has(oldObject.metadata.deletionTimestamp)",
    exists: "oldObject.?status.?id.orValue('') != ''",
    unprotected: `!${management}.?protect.orValue(${protectByDefault})`,
    managed: `!(${management}.?policy.orValue('Manage') in ['Observe', 'Plan'])`,
    deletes: `${management}.?deletionPolicy.orValue('Delete') == 'Delete'`,
    owned: `oldObject.metadata.?annotations[?'${orphanAnnotation}'].orValue('') != 'true'`,
  };
  return policyWithBinding(
    `deletion.${group}`,
    {
      // A failed warning must not block a user.
      failurePolicy: "Ignore",
      matchConstraints: customResources(
        ["DELETE"],
        deleted.map(({ plural }) => plural),
      ),
      matchConditions: Object.entries(conditions).map(([name, expression]) => ({ name, expression })),
      variables: [{ name: "loses", expression: `{${losses.join(", ")}}[request.resource.resource]` }],
      validations: [
        {
          expression: "false",
          messageExpression:
            "request.kind.kind + ' ' + oldObject.metadata.name + ': the operator also deletes ' + variables.loses + ' (ID ' + oldObject.status.id + ') in the cloud. To prevent such a deletion, set spec.management.protect to true; to keep the cloud object, set spec.management.deletionPolicy to Orphan. kubectl delete --dry-run=server only shows this warning'",
        },
      ],
    },
    "Warn",
  );
}
