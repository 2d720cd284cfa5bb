/** States of a database: when it is ready, and when it may be deleted. Part 1, section 3; not-shown, section 2. */
import type { Readiness } from "../../core/kind/call.ts";

/** Changes are accepted only by an active database: part 1, section 3. */
export function readiness({
  status,
  hosts,
}: {
  status: string;
  hosts?: { primary?: string | null | undefined } | null | undefined;
}): Readiness {
  const busy = { ready: false, busy: true, afterMs: 15_000 } as const;
  switch (status) {
    case "active":
      if (hosts?.primary) return { ready: true };
      return {
        ready: false,
        reason: "Provisioning",
        message: "the cloud has not assigned its hosts yet",
        afterMs: 15_000,
      };
    case "provisioning":
      return {
        ...busy,
        reason: "Provisioning",
        message: "the database is being provisioned, which takes 15 to 30 minutes",
      };
    case "failed":
      return {
        ...busy,
        reason: "Failed",
        message: "the cloud API reports that the database failed. Delete this object to start again",
        afterMs: 60_000,
      };
    case "suspended":
    case "degraded":
      return {
        ...busy,
        reason: "Busy",
        message: `the cloud API reports that the database is ${status}, and accepts no change until it is active`,
        afterMs: 60_000,
      };
    default:
      return { ...busy, reason: "Updating", message: `the database is ${status.replaceAll("_", " ")}` };
  }
}

export function removable({ status }: { status: string }): Readiness {
  return ["active", "failed", "degraded"].includes(status)
    ? { ready: true }
    : {
        ready: false,
        reason: "Busy",
        message: `the cloud API deletes a database only when it is active, failed or degraded; it is ${status}`,
        afterMs: 15_000,
      };
}
