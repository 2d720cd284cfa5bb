/** States of an instance: readiness, states without changes, and the calls for boot and shutdown. Part 2, section 3. */
import type { JsonObject } from "../../api/types.ts";
import type { Call, Readiness } from "../../core/kind/call.ts";
import { inStatus } from "../wire.ts";
import { instancePath } from "./instance-fields.ts";
import type { LiveInstance } from "./instance-fields.ts";

type PowerState = "Running" | "Offline" | undefined;

/** States in which the cloud API refuses changes. Successive states share a message, so that the operator writes the status once. */
const preparing = new Set(["provisioning", "booting", "cloning", "restoring"]);
const changing = new Set(["rebooting", "shutting_down", "resizing", "migrating", "rebuilding"]);

/** States in which the cloud API permits changes. In all other states, also unknown states, the operator sends no changes. */
const settled = new Set(["running", "offline"]);

export function readiness(status: string, wanted: PowerState): Readiness {
  // The observer polls a row in transition every few seconds, and requeues the object after a change.
  const busy = { ready: false, busy: true, afterMs: 30_000 } as const;
  if (preparing.has(status)) return { ...busy, reason: "Provisioning", message: "the cloud is preparing the instance" };
  if (changing.has(status)) return { ...busy, reason: "Updating", message: "the cloud is changing the instance" };
  if (status === "deleting") return { ...busy, reason: "Deleting", message: "the cloud is deleting the instance" };
  if (status === "stopped")
    return { ...busy, reason: "Busy", message: "the cloud has stopped the instance for maintenance", afterMs: 60_000 };
  if (!settled.has(status)) return { ...inStatus(status), busy: true };
  const missed = (wanted === "Running" && status !== "running") || (wanted === "Offline" && status !== "offline");
  return missed
    ? { ready: false, reason: "Updating", message: `the instance is ${status}, and not yet ${wanted}`, afterMs: 5_000 }
    : { ready: true };
}

/** Returns true during an operation of the cloud. The row then does not show whether the instance already booted. */
export function isInTransition(status: string | undefined): boolean {
  return status !== undefined && (preparing.has(status) || changing.has(status));
}

/** Returns the call for a boot or a shutdown. Empty unless the instance is running or offline. */
export function powerCalls({ id, wire: { status }, spec: { powerState: wanted } }: LiveInstance): Call[] {
  const path = instancePath(id);
  if (wanted === "Running" && status === "offline")
    return [{ method: "POST", path: `${path}/boot`, action: "Boot", note: "the instance is turned on" }];
  if (wanted === "Offline" && status === "running")
    return [
      { method: "POST", path: `${path}/shutdown`, action: "Shutdown", note: "the instance is turned off", stops: true },
    ];
  return [];
}

/** Returns the power state in the form of a spec. Empty during a transition. */
export function powerInWords({ wire: { status } }: LiveInstance): { cloud: JsonObject } {
  if (!settled.has(status)) return { cloud: {} };
  return { cloud: { powerState: status === "running" ? "Running" : "Offline" } };
}

/** The cloud API refuses a deletion during cloning and restoring: part 2, section 4.1, rule 9. */
export function removable({ status }: { status: string }): Readiness {
  if (status === "deleting") return { ready: false, reason: "Deleting", message: "the cloud is deleting the instance" };
  if (status !== "cloning" && status !== "restoring") return { ready: true };
  const message = `the cloud API does not delete an instance that is ${status}`;
  return { ready: false, reason: "Busy", message, afterMs: 10_000 };
}
