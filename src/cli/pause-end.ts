/** The end of a pause: the next policy, and the next changes of the operator. */
import type { KubeObject } from "../cluster/types.ts";
import { journalAnnotation, orphanAnnotation } from "../core/kind/annotations.ts";
import { nameOf, oneOf, sentence } from "../core/kind/naming.ts";
import { specOf, statusOf } from "../core/kind/object.ts";
import { argumentsOf, titleOf } from "./objects.ts";
import type { Named } from "./objects.ts";
import { program } from "./shell.ts";

/** The policy before the pause. The operator does not read the annotation. */
export const pausedFromAnnotation = "cloudplatform.dev/paused-from";

export const policies = ["Manage", "Observe", "Plan"];

const resumed: Record<string, string> = {
  Manage: "The operator then changes the cloud to match the spec, and also sends the changes of the pause.",
  Plan: "The operator then shows the changes in a plan, and waits for an approval.",
  Observe: "The operator then reports differences, and changes nothing.",
};

/** Returns the policy that `resume` sets. */
export function policyAfter({ metadata }: KubeObject): string {
  const former = metadata.annotations?.[pausedFromAnnotation];
  return former !== undefined && policies.includes(former) ? former : "Manage";
}

/** Returns sentences about the work of the operator after the pause, with a policy. */
export function effectsAfter(named: Named, policy: string): string[] {
  return deletionAfter(named, policy) ?? [resumed[policy] ?? ""];
}

/** Returns sentences about the end of the deletion; undefined for an object that is not in deletion. */
export function deletionAfter({ kind, object }: Named, policy: string): string[] | undefined {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  const head = `${titleOf(object)} is in deletion:`;
  const { id } = statusOf(object);
  const what = id === undefined ? `${oneOf(kind)} that the operator perhaps created` : nameOf(kind, id);
  if (!endsByDeletion({ kind, object }, policy)) {
    const stays = isCreated(object) && kind.shape !== "once" ? ` ${sentence(what)} stays in the cloud.` : "";
    return [`${head} the operator then removes its finalizer, and Kubernetes deletes the object.${stays}`];
  }
  const loses = kind.loses === undefined ? "" : `: ${kind.loses}`;
  const ends = `${kind.shape === "setting" ? "resets" : "deletes"} ${what} in the cloud${loses}.`;
  return [
    policy === "Plan"
      ? `${head} the operator then shows a plan, and waits for an approval. The approval ${ends}`
      : `${head} the operator then ${ends}`,
    `To keep it, run this first: ${program} orphan ${argumentsOf(object)}`,
  ];
}

/** Returns true for an object in deletion whose cloud object the operator deletes, or resets, after the pause. */
export function endsByDeletion({ kind, object }: Named, policy: string): boolean {
  const ends = kind.shape === "owned" || (kind.shape === "setting" && kind.undo !== undefined);
  return (
    object.metadata.deletionTimestamp !== undefined && ends && isCreated(object) && !isKept({ kind, object }, policy)
  );
}

function isCreated(object: KubeObject): boolean {
  return statusOf(object).id !== undefined || object.metadata.annotations?.[journalAnnotation] !== undefined;
}

/** Returns true if the operator does not change the cloud object. */
function isKept({ kind, object }: Named, policy: string): boolean {
  const isOrphan = object.metadata.annotations?.[orphanAnnotation] === "true";
  const { deletionPolicy } = specOf(object).management ?? {};
  return isOrphan || policy === "Observe" || deletionPolicy === "Orphan" || kind.stays !== undefined;
}
