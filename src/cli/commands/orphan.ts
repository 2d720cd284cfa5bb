/** `orphan`: keeps the cloud object when the user deletes the object. */
import { Option } from "commander";
import { argumentsOf, titleOf } from "../objects.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { journalAnnotation, orphanAnnotation } from "../../core/kind/annotations.ts";
import { nameOf, oneOf, sentence } from "../../core/kind/naming.ts";
import { specOf, statusOf } from "../../core/kind/object.ts";
import { isContained, kindsOf } from "../../core/kind/reference.ts";
import { verb } from "../change.ts";
import type { Change } from "../change.ts";
import { Failure } from "../failure.ts";
import type { Named, NamedKind } from "../objects.ts";
import { program } from "../shell.ts";

export const orphan = verb({
  name: "orphan",
  summary: "Keeps the cloud object when the object is deleted.",
  description:
    "Sets the annotation cloudplatform.dev/orphan. Delete the object afterwards with kubectl. For an object in deletion, the operator removes its finalizer immediately, or after resume if the object is paused.",
  examples: [
    ["orphan firewall web", "keeps the firewall in the cloud when you delete the Firewall web"],
    ["orphan firewall web --off", "lets a deletion of the Firewall web delete its cloud object again"],
  ],
  options: [new Option("--off", "a deletion also deletes the cloud object again")],
  decide: (named, { off }) => (off === true ? undoOf(named) : orphanOf(named)),
});

function orphanOf({ kind, object }: Named): Change {
  const name = titleOf(object);
  if (kind.shape !== "owned" && kind.shape !== "setting")
    throw new Failure(`${kind.kind} keeps nothing in the cloud, so there is nothing to orphan`);
  if (isOrphan(object)) throw new Failure(`${name} is already marked: its cloud object stays when you delete it`);
  if (statusOf(object).id === undefined && object.metadata.annotations?.[journalAnnotation] === undefined)
    throw new Failure(`${name} has no cloud object, so there is nothing to orphan`);
  return {
    patch: { metadata: { annotations: { [orphanAnnotation]: "true" } } },
    effects: effectsOf(kind, object),
    done: "orphaned",
  };
}

function effectsOf(kind: NamedKind, object: KubeObject): string[] {
  const { id } = statusOf(object);
  const what = id === undefined ? `${oneOf(kind)} that the operator perhaps created` : nameOf(kind, id);
  const deleting = object.metadata.deletionTimestamp !== undefined;
  const isPaused = specOf(object).management?.policy === "Paused";
  const now = isPaused
    ? `The object is paused, so nothing happens until resume. Then the operator removes the finalizer, and Kubernetes deletes the object: ${program} resume ${argumentsOf(object)}`
    : "The operator removes the finalizer, and Kubernetes deletes the object now.";
  const when = deleting ? now : `To delete the object afterwards: kubectl delete ${argumentsOf(object)}`;
  const price = kind.billable === true ? " It continues to cost money." : "";
  return [
    `${sentence(what)} stays in the cloud, and so do its generated Secrets in the cluster.${price}`,
    ...(isContained(kind) ? [`If ${parentOf(kind)} is deleted, the cloud deletes it all the same.`] : []),
    when,
  ];
}

function undoOf({ object }: Named): Change {
  const name = titleOf(object);
  if (!isOrphan(object)) throw new Failure(`${name} is not orphaned, so there is nothing to undo`);
  return {
    patch: { metadata: { annotations: { [orphanAnnotation]: null } } },
    effects: [
      `A deletion of ${name} follows spec.management.deletionPolicy again. The default deletes the cloud object.`,
    ],
    done: "no longer orphaned",
  };
}

function parentOf({ references = {} }: NamedKind): string {
  const parents = Object.values(references).filter((one) => !("secret" in one) && one.contained === true);
  return parents.flatMap((one) => ("secret" in one ? [] : kindsOf(one))).join(" or ");
}

function isOrphan({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[orphanAnnotation] === "true";
}
