import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Condition } from "../../../src/core/kind/status-schema.ts";
import { conditionOf } from "../../support/world.ts";
import type { Tenant } from "./stage.ts";

/** Waits until the object is ready or stalled in the present generation. Returns the condition `Ready` or `Stalled`. */
export async function verdictOf(tenant: Tenant, object: object, timeoutMs = 60_000): Promise<Condition> {
  const { kind, metadata } = object as KubeObject;
  const settled = await tenant.until(kind, metadata.name, (found) => settledIn(found) !== undefined, timeoutMs);
  const verdict = settledIn(settled);
  if (verdict === undefined) throw new Error(`${kind} ${metadata.name} has no verdict`);
  return verdict;
}

function settledIn(object: KubeObject): Condition | undefined {
  if (object.status?.["observedGeneration"] !== object.metadata.generation) return undefined;
  return [conditionOf(object, "Stalled"), conditionOf(object, "Ready")].find((one) => one?.status === "True");
}

/** Returns the messages of the conditions of an object, as one text. */
export function messagesOf(object: KubeObject | undefined): string {
  const conditions = (object?.status?.["conditions"] ?? []) as Condition[];
  return conditions.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join("\n");
}
