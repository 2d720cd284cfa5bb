/** States of an instance: when it is ready, when it must not be changed, and how it is turned on and off. Part 2, section 3. */
import type { JsonObject } from "../../api/types.ts";
import type { Call, Readiness } from "../../core/kind/call.ts";
import { inStatus } from "../wire.ts";
import { instancePath } from "./instance-fields.ts";
import type { LiveInstance } from "./instance-fields.ts";

type PowerState = "Running" | "Offline" | undefined;

/** In these the cloud API refuses changes. One text each for what follows upon another, so that status is written once. */
const preparing = new Set(["provisioning", "booting", "cloning", "restoring"]);
const changing = new Set(["rebooting", "shutting_down", "resizing", "migrating", "rebuilding"]);

/** In every other one, also of a word that is not known here, it is not known what the cloud API permits. */
const settled = new Set(["running", "offline"]);

export function readiness(status: string, wanted: PowerState): Readiness {
  // The observer reads a row in transition every few seconds, and wakes the object when it changed.
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

/** Returns true while the cloud works on the instance and does not tell whether it has booted already. */
export function isInTransition(status: string | undefined): boolean {
  return status !== undefined && (preparing.has(status) || changing.has(status));
}

/** Boot or shutdown, from a settled state only. */
export function powerCalls({ id, wire: { status }, spec: { powerState: wanted } }: LiveInstance): Call[] {
  const path = instancePath(id);
  if (wanted === "Running" && status === "offline")
    return [{ method: "POST", path: `${path}/boot`, action: "Boot", note: "the instance is turned on" }];
  if (wanted === "Offline" && status === "running")
    return [{ method: "POST", path: `${path}/shutdown`, action: "Shutdown", note: "the instance is turned off" }];
  return [];
}

/** Power as a spec says it; in between, neither. */
export function powerInWords({ wire: { status } }: LiveInstance): { cloud: JsonObject } {
  if (!settled.has(status)) return { cloud: {} };
  return { cloud: { powerState: status === "running" ? "Running" : "Offline" } };
}

/** Delete is refused while the instance is cloning or restoring: part 2, section 4.1, rule 9. */
export function removable({ status }: { status: string }): Readiness {
  if (status === "deleting") return { ready: false, reason: "Deleting", message: "the cloud is deleting the instance" };
  if (status !== "cloning" && status !== "restoring") return { ready: true };
  const message = `the cloud API does not delete an instance that is ${status}`;
  return { ready: false, reason: "Busy", message, afterMs: 10_000 };
}
