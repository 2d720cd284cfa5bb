/**
 * Restarts. A running instance reads a changed configuration profile only at the next boot: part 2, section 2.5. The record
 * contains the booted profile, as `bootedWith`. The operator restarts an instance only if `allowDisruption` has `Restart`.
 */
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import type { Operation } from "../../core/kind/status-schema.ts";

export interface Booted {
  /** Profile values that take effect at a boot. Undefined if the operator does not know the profile of the next boot. */
  profile: Json | undefined;
  /** State of the instance. Undefined if unknown. */
  state: string | undefined;
  /** Recorded values. */
  notes: Record<string, string>;
  /** Results of the calls of this process. A change of the profile records the digest before the change. */
  done: JsonObject[];
  /** Restarts that the object recorded. `about` of a restart is the digest of the booted profile. */
  operations: Operation[];
  /** Now, by the clock of the cloud API. */
  now: () => Date;
}

/**
 * The parts of the recorded value. `seen`: the digest of the first profile that the operator read while the instance ran. `sent`: the
 * digest of the profile at the time when the operator sent a restart. `off`: the instance did not run at that time and boots later.
 * The operator ignores a value in another form, so a new form causes no restart.
 */
interface Known {
  form: "seen" | "sent" | "off";
  digest: string;
  time: string;
}

const pattern = /^(seen|sent|off)-([0-9a-f]*)@(\S+)$/;

/** States of an instance during a restart. */
const restarting = new Set(["rebooting", "booting", "shutting_down"]);

/** Milliseconds after a restart. After that time, a state in `restarting` belongs to another boot. */
const restartMs = 10 * 60_000;

/**
 * Returns the value for the record. The first profile that the operator reads from a running instance counts as the booted profile,
 * because the operator never changes an unknown profile.
 */
export function bootedWith(of: Booted): Record<string, string> {
  const { profile, state } = of;
  const known = knownIn(of);
  if (state === undefined) return said(known);
  if (state !== "running") return said(known && whileOff(of, known));
  if (known && known.form !== "off") return said(known);
  return said(profile === undefined ? known : { form: "seen", digest: digestOf(profile), time: timeOf(of) });
}

/** Returns true if the instance runs with an old profile. */
export function needsRestart(of: Booted): boolean {
  const known = knownIn(of);
  if (of.state !== "running" || of.profile === undefined || !known || known.form === "off") return false;
  return known.digest !== digestOf(of.profile);
}

/** Returns the digest of the old profile, for a call that changes the profile. Empty if the record already has the digest. */
export function beforeChange(of: Booted): { keeps?: JsonObject } {
  const known = knownIn(of);
  if (of.state !== "running" || of.profile === undefined || (known && known.form !== "off")) return {};
  return { keeps: { booted: digestOf(of.profile), had: textOf(of.notes) } };
}

/**
 * Returns the call that restarts the instance at the path. With `instead`, the operator only reports the call with the advice.
 * The operator reads the instance right before the request, because a restart would turn on an instance that is off.
 */
export function restartCalls(path: string, of: Booted, { what, instead }: { what: string; instead?: string }): Call[] {
  if (!needsRestart(of)) return [];
  const note = `${what} changed while the instance ran`;
  const restart: Call = {
    method: "POST",
    path: `${path}/reboot`,
    action: "Restart",
    note,
    destructive: true,
    stops: true,
    about: digestOf(of.profile ?? null),
    expects: { path, shows: { status: "running" } },
  };
  if (instead === undefined) return [restart];
  const cure = `The change takes effect when the instance boots. Restart it, or ${instead}`;
  return [{ ...restart, note: `${note}. ${cure}`, unasked: true }];
}

/** Returns the advice for a user if the spec of an instance does not permit a restart by the operator. */
export function insteadOf(spec: JsonObject | undefined): { instead?: string } {
  const { allowDisruption, management } = (spec ?? {}) as {
    allowDisruption?: string[];
    management?: { policy?: string };
  };
  if (!allowDisruption?.includes("Restart"))
    return { instead: "add Restart to spec.allowDisruption of the ComputeInstance" };
  const { policy = "Manage" } = management ?? {};
  if (policy === "Manage") return {};
  return { instead: `set spec.management.policy of the ComputeInstance to Manage: ${policy} does not restart it` };
}

/** Returns the facts about the last boot. A restart or a change that the record does not contain yet counts as well. */
function knownIn(of: Booted): Known | undefined {
  const text = textOf(of.notes);
  const [, form, digest = "", time = ""] = pattern.exec(text) ?? [];
  const known = form === undefined ? undefined : { form: form as Known["form"], digest, time };
  const sent = sentIn(of);
  if (sent && (!known || sent.time > known.time || (known.form === "seen" && sent.time === known.time))) return sent;
  if (known && known.form !== "off") return known;
  const { booted, time: at } = of.done.findLast(({ booted: before, had }) => before && had === text) ?? {};
  return typeof booted === "string" && typeof at === "string" ? { form: "seen", digest: booted, time: at } : known;
}

/** Returns the last restart that the cloud API accepted. Without a response, the restart counts when the instance stops running. */
function sentIn({ operations, state }: Booted): Known | undefined {
  const last = operations.findLast(({ action }) => action === "Restart");
  if (last?.about === undefined || last.refused !== undefined) return undefined;
  if (!last.settled && !isRestarting({ state })) return undefined;
  return { form: "sent", digest: last.about, time: last.time };
}

/** Returns the facts about an instance that does not run. After a restart by the operator, the instance boots the profile of the restart. */
function whileOff(of: Booted, known: Known): Known {
  const isSoon = of.now().getTime() - Date.parse(known.time) < restartMs;
  const isOurs = known.form === "sent" && isSoon && isRestarting(of);
  return isOurs || known.form === "off" ? known : { form: "off", digest: "", time: timeOf(of) };
}

function isRestarting({ state }: Pick<Booted, "state">): boolean {
  return state !== undefined && restarting.has(state);
}

function said(known: Known | undefined): Record<string, string> {
  return known ? { bootedWith: `${known.form}-${known.digest}@${known.time}` } : {};
}

function textOf({ bootedWith: text = "" }: { bootedWith?: string }): string {
  return text;
}

function timeOf({ now }: Booted): string {
  return now().toISOString();
}

function digestOf(profile: Json): string {
  return createHash("sha256").update(JSON.stringify(profile)).digest("hex").slice(0, 32);
}
