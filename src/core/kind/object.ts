/** What a custom resource says: spec, status and conditions, as typed values. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonSpec } from "./common-schema.ts";
import { commonStatus } from "./status-schema.ts";
import type { CommonStatus, Condition } from "./status-schema.ts";

export function statusOf(object: KubeObject): CommonStatus {
  return object.status ?? {};
}

/** What the kind itself reported, without what every status has. */
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

/** Why the cloud object of an object is not there for those who refer to it; undefined where nothing says so. */
export function absenceOf({
  conditions,
}: {
  conditions?: Condition[] | undefined;
}): "Missing" | "NotVisible" | undefined {
  const { status, reason } = readyOf(conditions) ?? {};
  return status !== "True" && (reason === "Missing" || reason === "NotVisible") ? reason : undefined;
}

/** True where the last word on an object was that it is ready. */
export function isReady({ conditions }: { conditions?: Condition[] | undefined }): boolean {
  return readyOf(conditions)?.status === "True";
}
