/** Commands that carry out the cure of a reason. The texts of the cures are in core/kind/reasons.ts. */
import type { KubeObject } from "../../cluster/types.ts";
import { specOf, statusOf } from "../../core/kind/object.ts";
import { nameForKubectl } from "../../core/kind/resource.ts";
import type { Reason } from "../../core/kind/reasons.ts";
import { argumentsOf } from "../objects.ts";
import type { Named } from "../objects.ts";
import { deletionAfter, endsByDeletion, policyAfter } from "../pause-end.ts";
import { offeredAnother, offeredId, offeredRetry } from "../offers.ts";
import { program, quoted } from "../shell.ts";

type Cure = (named: Named) => string[];

const approve: Cure = ({ object }) =>
  statusOf(object).plan === undefined ? [] : [`${program} approve ${argumentsOf(object)}`];

const retry: Cure = ({ object }) => (offeredRetry(object) ? [`${program} retry ${argumentsOf(object)}`] : []);

const adopt: Cure = ({ kind, object }) => {
  if (kind.shape !== "owned") return [];
  const { name, namespace = "default" } = object.metadata;
  const id = offeredId(object);
  // A program would take an ID with a hyphen at the beginning for an option.
  const word = id === undefined || id.startsWith("-") ? "<ID>" : quoted(id);
  return [`${program} adopt ${nameForKubectl(object.kind)} ${quoted(name)} ${word} -n ${quoted(namespace)}`];
};

const another: Cure = ({ object }) => {
  const offer = offeredAnother(object);
  return offer ? [annotateCommand(object, `${offer.annotation}=${offer.value}`)] : [];
};

const recreate: Cure = ({ kind, object }) =>
  kind.shape === "owned" ? [patchCommand(object, { spec: { management: { missingPolicy: "Recreate" } } })] : [];

const correct: Cure = ({ object }) => {
  const { policy = "Manage", driftPolicy } = specOf(object).management ?? {};
  if (policy !== "Manage" || driftPolicy !== "Report") return [];
  return [patchCommand(object, { spec: { management: { driftPolicy: "Correct" } } })];
};

const recreateObject: Cure = ({ object }) => [`kubectl delete ${argumentsOf(object)}`];

/** Without the annotation, the end of the pause deletes the cloud object. */
const keepFirst: Cure = (named) =>
  endsByDeletion(named, policyAfter(named.object)) ? [`${program} orphan ${argumentsOf(named.object)}`] : [];

const cures: Partial<Record<Reason, Cure[]>> = {
  AdoptionDiffers: [approve],
  AdoptionFailed: [adopt],
  Conflict: [adopt, another],
  CreateUncertain: [adopt, retry],
  Drifted: [correct],
  Expired: [recreateObject],
  Failed: [recreateObject],
  Missing: [recreate, adopt],
  OperationUncertain: [retry],
  Paused: [keepFirst, ({ object }) => [`${program} resume ${argumentsOf(object)}`]],
  WaitingForApproval: [approve],
};

/** Reasons for which a deletion ends without a user. */
const goesOn = new Set<string>([
  "Deleting",
  "WaitingForParent",
  "WaitingForDependents",
  "Busy",
  "WaitingForChange",
  "Paused",
]);

/** Returns what a user must know before the commands; empty for most objects. */
export function warningFor(named: Named, reason: string): string {
  return reason === "Paused" ? (deletionAfter(named, policyAfter(named.object)) ?? []).join(" ") : "";
}

/** Returns the commands for an object with this reason. An object in deletion that waits for a user can keep its cloud object. */
export function commandsFor(named: Named, reason: string): string[] {
  const { object, kind } = named;
  const own = (cures[reason as Reason] ?? []).flatMap((cure) => cure(named));
  const isStuck = object.metadata.deletionTimestamp !== undefined && !goesOn.has(reason) && kind.shape === "owned";
  return isStuck ? [...own, `${program} orphan ${argumentsOf(object)}`] : own;
}

export function patchCommand(object: Pick<KubeObject, "kind" | "metadata">, patch: object): string {
  return `kubectl patch ${argumentsOf(object)} --type=merge -p ${quoted(JSON.stringify(patch))}`;
}

function annotateCommand(object: KubeObject, annotation: string): string {
  return `kubectl annotate ${argumentsOf(object)} --overwrite ${quoted(annotation)}`;
}

/**
 * Returns the command that stores a value in a Secret or a ConfigMap. The command reads the value from a file, so the history of the
 * shell does not contain it. A patch keeps the other keys of an existing Secret; `kubectl apply` can delete them.
 */
export function storeCommand(
  from: "Secret" | "ConfigMap",
  namespace: string,
  { name, key, exists }: { name: string; key: string; exists: boolean },
): string {
  const kubectl = `kubectl -n ${quoted(namespace)}`;
  const create = `${kubectl} create ${from === "Secret" ? "secret generic" : "configmap"} ${quoted(name)} --from-file=${quoted(key)}=<file>`;
  if (!exists) return create;
  const patch = `patch ${from.toLowerCase()} ${quoted(name)} --type=merge --patch-file=/dev/stdin`;
  return `${create} --dry-run=client -o json | ${kubectl} ${patch}`;
}
