/**
 * Permissions that the operator asks for in the message of an object. Only the operator knows the name of an attempt whose record
 * is lost, so the message is the source.
 */
import type { KubeObject } from "../cluster/types.ts";
import { createAnotherAnnotation, retryCreateAnnotation, retryOperationAnnotation } from "../core/kind/annotations.ts";
import { readyOf, statusOf } from "../core/kind/object.ts";

export interface Offer {
  annotation: string;
  value: string;
}

/** Returns the annotation in the message of the condition Ready that permits a retry; undefined without a permission to give. */
export function offeredRetry(object: KubeObject): Offer | undefined {
  return offered(object, [retryCreateAnnotation, retryOperationAnnotation]);
}

/** Returns the annotation in the message that permits a further cloud object; undefined if the message names no such annotation. */
export function offeredAnother(object: KubeObject): Offer | undefined {
  return offered(object, [createAnotherAnnotation]);
}

/** Returns the ID in the message that `spec.management.adopt.id` can have; undefined if the message names no ID. */
export function offeredId(object: KubeObject): string | undefined {
  return /spec\.management\.adopt\.id: "([^"]{1,253})"/.exec(messageOf(object))?.[1];
}

function offered(object: KubeObject, annotations: string[]): Offer | undefined {
  for (const annotation of annotations) {
    const [, after] = messageOf(object).split(`${annotation}=`);
    const value = after === undefined ? undefined : /^\S*[^\s.;]/.exec(after)?.[0];
    if (value !== undefined) return { annotation, value };
  }
  return undefined;
}

function messageOf(object: KubeObject): string {
  return readyOf(statusOf(object).conditions)?.message ?? "";
}
