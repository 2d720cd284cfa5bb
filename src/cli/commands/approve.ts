/** `approve`: permits the plan of an object once. */
import { titleOf } from "../objects.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { approveAnnotation, approvedAnnotation } from "../../core/kind/annotations.ts";
import { readyOf, statusOf } from "../../core/kind/object.ts";
import type { Plan } from "../../core/kind/status-schema.ts";
import { verb } from "../change.ts";
import type { Change } from "../change.ts";
import { Failure } from "../failure.ts";

export const approve = verb({
  name: "approve",
  summary: "Approves the plan of an object. The operator then runs the plan once.",
  description:
    "Shows each request of the plan, and asks. The approval is valid for exactly these requests: if the spec, the cloud object or a request changes, the operator makes a new plan.",
  examples: [
    ["approve sshkey laptop", "shows the plan of the SSHKey laptop, and asks"],
    ["approve computeinstance web-1 -n shop --yes", "approves the plan without a question"],
  ],
  decide: ({ object }) => approvalOf(object),
});

/** Throws `Failure` if the object has no plan that the operator would run. */
function approvalOf(object: KubeObject): Change {
  const { plan, observedGeneration = 0 } = statusOf(object);
  const name = titleOf(object);
  const { generation = 0, annotations } = object.metadata;
  const reason = readyOf(statusOf(object).conditions)?.reason;
  if (observedGeneration < generation)
    throw new Failure(`the operator has not planned the last change of ${name} yet. Run the command again in a moment`);
  if (!plan) throw new Failure(`${name} has no plan, so there is nothing to approve${reason ? ` (${reason})` : ""}`);
  if (reason === "ReadOnly")
    throw new Failure(
      `the operator is read-only and accepts no approval. Install the operator with readOnly: false to run the plan of ${name}`,
    );
  if (annotations?.[approvedAnnotation] === plan.hash || annotations?.[approveAnnotation] === plan.hash)
    throw new Failure(`the plan of ${name} is already approved. Wait until the operator has run the plan`);
  if (plan.operations.every(({ refused }) => refused !== undefined))
    throw new Failure(`the operator would send no request of the plan of ${name}: ${plan.operations[0]?.refused}`);
  return {
    patch: { metadata: { annotations: { [approveAnnotation]: plan.hash } } },
    effects: [`The operator runs this plan of ${name} once:`, ...linesOf(plan)],
    done: "approved",
  };
}

/** Returns one line for each request of a plan, then its effect as a whole. */
export function linesOf({ operations, total, stops, monthly }: Plan): string[] {
  const lines = operations.map(({ method, path, note, refused }) =>
    refused === undefined ? `  ${method} ${path}: ${note}` : `  not sent: ${note}, because ${refused}`,
  );
  return [
    ...lines,
    ...(total > operations.length ? [`  and ${total - operations.length} more requests`] : []),
    ...(stops === undefined ? [] : [stops ? "The instance stops." : "The instance does not stop."]),
    ...(monthly ? [`Price per month: ${monthly.before ?? "unknown"} → ${monthly.after ?? "unknown"}`] : []),
  ];
}
