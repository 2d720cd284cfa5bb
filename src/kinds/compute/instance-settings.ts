/** Backups and alerts of an instance: compare, then set. Part 2, sections 2.2 and 2.3; not-shown, section 3. */
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/define-kind.ts";
import { given } from "../given.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import type { InstanceRow } from "./instance-status.ts";

interface Situation {
  spec: InstanceSpec;
  wire: InstanceRow;
}

/** Turned on or off by operations of their own; the schedule is set once they are on. */
export function backupCalls(path: string, { spec, wire }: Situation): Call[] {
  if (!spec.backups) return [];
  const { enabled, schedule } = spec.backups;
  const on = wire.backups?.enabled ?? false;
  if (!enabled) {
    return on
      ? [
          {
            method: "POST",
            path: `${path}/backups/cancel`,
            action: "CancelBackups",
            note: "backups are turned off and deleted",
            destructive: true,
          },
        ]
      : [];
  }
  const there = wire.backups?.schedule;
  const calls: Call[] = on
    ? []
    : [{ method: "POST", path: `${path}/backups/enable`, action: "EnableBackups", note: "backups are turned on" }];
  if (schedule && (schedule.day !== there?.day || schedule.window !== there.window)) {
    const note = `schedule: ${there?.day ?? "none"} ${there?.window ?? ""} → ${schedule.day} ${schedule.window}`;
    const body = { backups: { schedule: { day: schedule.day, window: schedule.window } } };
    calls.push({ method: "PUT", path, body, action: "ScheduleBackups", note });
  }
  return calls;
}

/** All thresholds are sent, those that the spec leaves alone as they are. */
export function alertCalls(path: string, { spec, wire }: Situation): Call[] {
  const wanted = given({
    cpu: spec.alerts?.cpu,
    io: spec.alerts?.io,
    network_in: spec.alerts?.networkIn,
    network_out: spec.alerts?.networkOut,
    transfer_quota: spec.alerts?.transferQuota,
  });
  const there: JsonObject = given({ ...wire.alerts });
  const changed = Object.keys(wanted).filter((field) => wanted[field] !== there[field]);
  if (changed.length === 0) return [];
  const note = changed
    .map((field) => `${field}: ${JSON.stringify(there[field] ?? null)} → ${JSON.stringify(wanted[field])}`)
    .join(", ");
  return [{ method: "PUT", path, body: { alerts: { ...there, ...wanted } }, action: "UpdateAlerts", note }];
}
