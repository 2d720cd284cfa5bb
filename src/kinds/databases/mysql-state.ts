/** States of a database: ready, and removable. Part 1, section 3; not-shown, section 2. */
import type { Readiness } from "../../core/kind/call.ts";
import type { Reason } from "../../core/kind/reasons.ts";
import type { Database } from "./connection-secret.ts";

/** Only an active database accepts changes: part 1, section 3. */
export function readiness({ status, hosts }: Database["wire"] & { status: string }): Readiness {
  if (status !== "active") return { ...inState(status), busy: true };
  return hosts?.primary ? { ready: true } : waits("Provisioning", "the cloud has not assigned its hosts yet");
}

function inState(status: string) {
  const reports = "the cloud API reports that the database";
  switch (status) {
    case "provisioning":
      return waits("Provisioning", "the database is being provisioned, which takes 15 to 30 minutes");
    case "failed":
      return waits("Failed", `${reports} failed. Delete this object to start again`, 60_000);
    case "suspended":
    case "degraded":
      return waits("Busy", `${reports} is ${status}, and accepts no change until it is active`, 60_000);
    default:
      return waits("Updating", `the database is ${status.replaceAll("_", " ")}`);
  }
}

export function removable({ status }: { status: string }): Readiness {
  if (["active", "failed", "degraded"].includes(status)) return { ready: true };
  const message = `the cloud API deletes a database only when it is active, failed or degraded; it is ${status}`;
  return waits("Busy", message);
}

function waits(reason: Reason, message: string, afterMs = 15_000) {
  return { ready: false, reason, message, afterMs } as const;
}
