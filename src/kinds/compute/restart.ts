/**
 * Restarts. An instance that runs takes over a changed configuration profile only when it boots: part 2, section 2.5. The status
 * field `bootedWith` tells with which profile it runs. The operator restarts it only if `allowDisruption` has `Restart`.
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";

/** The status field of a kind with a profile. */
export const bootedStatus = {
  bootedWith: z
    .string()
    .max(64)
    .describe(
      "Digest of the profile with which the instance runs. If the profile has another digest, a restart is needed.",
    )
    .optional(),
};

/** Stands before each digest. A digest in another form says nothing, so that a new form restarts no instance. */
const form = "v1-";

export interface Booted {
  /** The values that an instance takes over when it boots; undefined if the operator cannot tell which profile it boots. */
  profile: Json | undefined;
  /** The state of the instance; undefined if the operator does not know it. */
  state: string | undefined;
  /** What the status says so far. */
  reported: JsonObject;
  /** What the calls of this process have left; a restart leaves the digests before and after it. */
  done: JsonObject[];
}

/** The value of the status field while the instance does not run. */
const none = "none";

/** Returns the status field. The first profile that is seen while the instance runs counts as the one that it has booted. */
export function bootedWith(of: Booted): { bootedWith?: string | undefined } {
  const { profile, state, reported } = of;
  if (state !== "running") return { bootedWith: state === undefined || !reported["bootedWith"] ? undefined : none };
  return { bootedWith: bootedIn(of) ?? (profile === undefined ? undefined : digestOf(profile)) };
}

/** Returns true if the instance runs with another profile than the one that is there. */
export function needsRestart(of: Booted): boolean {
  const booted = bootedIn(of);
  return of.state === "running" && of.profile !== undefined && booted !== undefined && booted !== digestOf(of.profile);
}

/** Returns the call that restarts the instance at this path. Without `isAllowed`, the operator reports the call and does not send it. */
export function restartCalls(
  path: string,
  of: Booted,
  { what, isAllowed }: { what: string; isAllowed: boolean },
): Call[] {
  if (!needsRestart(of)) return [];
  const note = `${what} changed while the instance ran`;
  const keeps = { before: bootedIn(of) ?? none, after: digestOf(of.profile ?? null) };
  const restart = { method: "POST", path: `${path}/reboot`, action: "Restart", keeps } as const;
  if (isAllowed) return [{ ...restart, note }];
  const cure =
    "The change takes effect when the instance boots. Restart it, or add Restart to spec.allowDisruption of the ComputeInstance";
  return [{ ...restart, note: `${note}. ${cure}`, unasked: true }];
}

/** Returns the digest in the status. A restart that the status does not show yet counts as well. */
function bootedIn({ reported: { bootedWith: digest }, done }: Booted): string | undefined {
  if (typeof digest !== "string" || !digest.startsWith(form)) return undefined;
  const last = done.at(-1);
  return last?.["before"] === digest && typeof last["after"] === "string" ? last["after"] : digest;
}

function digestOf(profile: Json): string {
  return `${form}${createHash("sha256").update(JSON.stringify(profile)).digest("hex").slice(0, 32)}`;
}
