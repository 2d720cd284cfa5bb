/**
 * Replaces messages that ask the user to create an object. If Kubernetes is deleting the namespace, the API server refuses to
 * create objects in the namespace, so that the cure would not work.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { orphanAnnotation } from "../kind/annotations.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { specOf, statusOf } from "../kind/object.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import type { Environment } from "../model/environment.ts";
import { annotate } from "../model/uncertain.ts";
import { isProtected } from "../read/holders.ts";
import { isEnding } from "../read/namespace.ts";

/** Reasons of objects that need another object of the namespace, or a successor. */
const needsObject = new Set<Reason>(["WaitingForReference", "WaitingForSecret", "WaitingForUpload", "Expired"]);
const needsAccount = new Set<Reason>(["WaitingForAccount", "TokenMissing"]);

/** Returns the verdict with a message that fits a namespace in deletion. */
export async function fitToNamespace(environment: Environment, object: KubeObject, verdict: Verdict): Promise<Verdict> {
  if (verdict.state !== "waiting" && verdict.state !== "stalled") return verdict;
  const { reason } = verdict;
  const isOfAccount = needsAccount.has(reason);
  if (!isOfAccount && !needsObject.has(reason)) return verdict;
  const { namespace = "" } = object.metadata;
  const { accountRef } = (object.spec ?? {}) as CommonSpec;
  const place = isOfAccount ? (accountRef?.namespace ?? namespace) : namespace;
  if (!(await isEnding(environment, place))) return verdict;
  const deleting = object.metadata.deletionTimestamp !== undefined;
  return {
    ...verdict,
    message: `${reasonOf(place)}. ${deleting ? wayOutOfNamespace(object) : nextOf(environment, object)}`,
  };
}

function reasonOf(namespace: string): string {
  return `Namespace ${namespace} is being deleted, and what this object needs cannot come into being there`;
}

function nextOf(environment: Environment, object: KubeObject): string {
  return isProtected(environment, object)
    ? "This object is protected. Set spec.management.protect to false, and Kubernetes deletes it, too"
    : "Kubernetes deletes this object, too";
}

/** A deletion without an account cannot delete the cloud object. */
function wayOutOfNamespace(object: KubeObject): string {
  if (!("management" in specOf(object)) && object.kind === "CloudAccount")
    return "The objects of this account name their ways out";
  const { id } = statusOf(object);
  const what = id === undefined ? "what this object created" : id;
  return `The operator cannot delete ${what}. To remove this object and leave the cloud as it is: ${annotate(object, `${orphanAnnotation}=true`)}`;
}
