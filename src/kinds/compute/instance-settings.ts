/** Backups and alerts of an instance: compare, then set. Part 2, sections 2.2 and 2.3; not-shown, section 3. */
import { short } from "../../core/kind/differences.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { given } from "../given.ts";
import { instancePath } from "./instance-fields.ts";
import type { LiveInstance } from "./instance-fields.ts";

/**
 * Returns the call that turns backups off and deletes all backups. The operator sends the call only if the last applied spec
 * enabled backups. Otherwise, for example after an adoption or a change by a user of the cloud, the operator reports the call.
 */
export function cancelCalls({ id, spec, wire, applied }: LiveInstance): Call[] {
  if (spec.backups?.enabled !== false || !wire.backups?.enabled) return [];
  const action = "CancelBackups";
  const cancel = { method: "POST", path: `${instancePath(id)}/backups/cancel`, action, destructive: true } as const;
  if (applied?.["backups_enabled"] === "true") return [{ ...cancel, note: "backups are turned off and deleted" }];
  const note =
    "backups are on, and spec.backups.enabled is false. They are not deleted. To delete them all, set spec.backups.enabled to true, and to false once that is Ready";
  return [{ ...cancel, note, unasked: true }];
}

/** Returns the backups in the form of a spec. The schedule is absent until the cloud has chosen a schedule. */
export function backupsInWords({ wire }: LiveInstance): { cloud: JsonObject } {
  const { enabled, schedule } = wire.backups ?? {};
  const { day, window } = schedule ?? {};
  const chosen = day && window && day !== "Scheduling" && window !== "Scheduling";
  const backups = given({ enabled: enabled ?? false, schedule: chosen ? { day, window } : undefined });
  return { cloud: { backups } };
}

/** Names of the alerts: in a spec, then in a request body. */
const thresholds = [
  ["cpu", "cpu"],
  ["io", "io"],
  ["networkIn", "network_in"],
  ["networkOut", "network_out"],
  ["transferQuota", "transfer_quota"],
] as const;

/** Returns the alerts in the form of a spec. */
export function alertsInWords({ wire }: LiveInstance): { cloud: JsonObject } {
  const shown = thresholds.map(([name, field]) => [name, wire.alerts?.[field] ?? undefined] as const);
  return { cloud: { alerts: given(Object.fromEntries(shown)) } };
}

/** Returns the calls that turn backups on and then set the schedule. */
export function backupCalls({ id, spec, wire }: LiveInstance): Call[] {
  if (!spec.backups?.enabled) return [];
  const { schedule } = spec.backups;
  const calls: Call[] = [];
  const path = instancePath(id);
  const note = "backups are turned on";
  const changes = [{ field: "backups.enabled", observed: wire.backups?.enabled ?? false, desired: true }];
  if (!wire.backups?.enabled)
    calls.push({ method: "POST", path: `${path}/backups/enable`, action: "EnableBackups", note, changes });
  const there = wire.backups?.schedule;
  if (schedule && (schedule.day !== there?.day || schedule.window !== there.window)) {
    const before = [there?.day, there?.window].filter(Boolean).join(" ") || "nothing";
    const change = `backups.schedule: ${before} → ${schedule.day} ${schedule.window}`;
    const schedules = [{ field: "backups.schedule", observed: given({ ...there }), desired: schedule }];
    const body = { backups: { schedule } };
    calls.push({ method: "PUT", path, body, action: "ScheduleBackups", note: change, changes: schedules });
  }
  return calls;
}

/** Returns the call that sets the alerts. For absent thresholds, the body contains the current values. */
export function alertCalls({ id, spec, wire }: Pick<LiveInstance, "id" | "spec" | "wire">): Call[] {
  const wanted = given(Object.fromEntries(thresholds.map(([name, field]) => [field, spec.alerts?.[name]])));
  const there: JsonObject = given({ ...wire.alerts });
  const changed = Object.keys(wanted).filter((field) => wanted[field] !== there[field]);
  if (changed.length === 0) return [];
  const names = new Map<string, string>(thresholds.map(([name, field]) => [field, name]));
  const lines = changed.map((field) => `alerts.${names.get(field)}: ${short(there[field])} → ${short(wanted[field])}`);
  const note = lines.join(", ");
  const body = { alerts: { ...there, ...wanted } };
  return [{ method: "PUT", path: instancePath(id), body, action: "UpdateAlerts", note }];
}
