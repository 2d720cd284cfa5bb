/** Typed access to the spec, the status and the conditions of a custom resource. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonSpec } from "./common-schema.ts";
import { commonStatus } from "./status-schema.ts";
import type { CommonStatus, Condition } from "./status-schema.ts";

export function statusOf(object: KubeObject): CommonStatus {
  return object.status ?? {};
}

/** Returns the status fields of the kind, without the common fields. */
export function reportedOf(object: KubeObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object.status ?? {}).filter(([field]) => !(field in commonStatus)),
  ) as JsonObject;
}

export function specOf(object: KubeObject): CommonSpec {
  return object.spec ?? {};
}

export function readyOf(conditions: Condition[] = []): Condition | undefined {
  return conditions.find(({ type }) => type === "Ready");
}

/** Returns why referrers cannot use the cloud object of an object. Returns undefined if the conditions report no absence. */
export function absenceOf({
  conditions,
}: {
  conditions?: Condition[] | undefined;
}): "Missing" | "NotVisible" | undefined {
  const { status, reason } = readyOf(conditions) ?? {};
  return status !== "True" && (reason === "Missing" || reason === "NotVisible") ? reason : undefined;
}

/** Returns true if the last reported Ready condition is True. */
export function isReady({ conditions }: { conditions?: Condition[] | undefined }): boolean {
  return readyOf(conditions)?.status === "True";
}
