import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { defineOnce } from "../../core/kind/once.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { actionExamples } from "./action-examples.ts";
import { actionSpec, destructiveNeedsTime } from "./action-spec.ts";
import type { Action, ActionSpec } from "./action-spec.ts";
import { given } from "../given.ts";
import { instanceWire } from "./instance-status.ts";
import { readiness } from "./power.ts";

/** Actions on an instance: part 2, section 4.5; not-shown, section 3. */
export const computeAction = defineOnce({
  kind: "ComputeAction",
  plural: "computeactions",
  shortNames: ["cpact"],
  doc: "One action on an instance, run once: a reboot, a rescue, a reset of the root password. To run it again, create another object.",
  columns: [
    { name: "Action", jsonPath: ".spec.action" },
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Result", jsonPath: ".status.run.result" },
  ],
  spec: actionSpec,
  status: z.object({ state: z.string().max(32).describe("State of the instance, in the API's words.").optional() }),
  wire: instanceWire,
  admission: [destructiveNeedsTime],
  references: {
    instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true },
    passwordSecretRef: { secret: (spec) => spec.passwordSecretRef, key: "password", creationOnly: true },
  },
  at: () => "/compute/instances",
  eventEntity: "compute",
  target: ({ refs }) => refs.instanceRef.id,
  ready: ({ wire }) => readiness(wire.status, undefined),
  request: ({ spec, refs, id, wire }) => {
    refuseOwned(spec, refs.instanceRef.spec);
    // The cloud API refuses it then, as it does while the instance is busy.
    if (statusAfter[spec.action] === wire.status) return undefined;
    const call = requestOf(spec, id, refs.passwordSecretRef);
    return spec.action === "Upgrade" ? { ...call, applies: { from: wire.type } } : call;
  },
  sensitive: ["root_pass", "password"],
  // What else the row shows may have been so before.
  evident: ({ spec, wire, applied }) => {
    const after = statusAfter[spec.action];
    if (after !== undefined) return wire.status === after;
    if (spec.action === "Resize") return wire.type === spec.type;
    if (spec.action === "Upgrade" && applied?.["from"] !== undefined) return wire.type !== applied["from"];
    return spec.action === "Migrate" && spec.region !== undefined ? wire.region === spec.region : undefined;
  },
  events: ({ spec }) => eventsOf[spec.action],
  report: ({ wire }) => ({ state: wire.status }),
  examples: actionExamples,
});

/** What nothing but the action leads to; an instance that is so already needs no request. */
const statusAfter: Partial<Record<Action, string>> = { Boot: "running", Shutdown: "offline" };

/** A rescue is told of as a boot (not-shown, section 9). */
const eventsOf: Record<Action, string[]> = {
  Boot: ["compute_boot"],
  Reboot: ["compute_reboot"],
  Shutdown: ["compute_shutdown"],
  Rescue: ["compute_boot", "compute_rescue"],
  Rebuild: ["compute_rebuild"],
  Resize: ["compute_resize"],
  Migrate: ["compute_migrate", "compute_migrate_datacenter"],
  Upgrade: ["compute_mutate"],
  ResetPassword: ["password_reset"],
  ResetDiskPassword: ["password_reset"],
  CloneDisk: ["disk_duplicate"],
  RestoreBackup: ["backups_restore"],
};

/** Fields of a ComputeInstance that say the same as an action: one of the two decides. */
const owned: Partial<Record<Action, string>> = {
  Boot: "powerState",
  Shutdown: "powerState",
  Resize: "type",
  Migrate: "region",
  Rebuild: "image",
};

function refuseOwned({ action, instanceRef }: ActionSpec, instance: JsonObject | undefined): void {
  const field = owned[action];
  if (field === undefined || instance?.[field] === undefined) return;
  throw new Invalid(
    "spec.action",
    `${action} is not run, because ComputeInstance ${instanceRef.name} sets spec.${field}. Change it there`,
  );
}

function requestOf(spec: ActionSpec, id: string, password: string | undefined): Call {
  const { action, image, type, region, diskID } = spec;
  const path = `/compute/instances/${id}`;
  const post = (at: string, body?: JsonObject): Call => ({
    method: "POST",
    path: `${path}/${at}`,
    ...(body && { body }),
    action,
    note: `${action} of instance ${id}`,
    destructive: true,
  });
  switch (action) {
    case "Boot":
    case "Reboot":
    case "Shutdown":
      return post(action.toLowerCase());
    case "Rescue":
      return post("rescue", { devices: Object.fromEntries((spec.rescueDiskIDs ?? []).map(deviceOf)) });
    case "Rebuild":
      return post("rebuild", { image: image ?? "", root_pass: password ?? "" });
    case "Resize":
      return post("resize", given({ type, allow_auto_disk_resize: spec.allowAutoDiskResize }));
    case "Migrate":
      return post("migrate", given({ region, upgrade: spec.upgrade }));
    case "Upgrade":
      return post("mutate", given({ allow_auto_disk_resize: spec.allowAutoDiskResize }));
    case "ResetPassword":
      return post("password", { root_pass: password ?? "" });
    case "ResetDiskPassword":
      return post(`disks/${diskID}/password`, { password: password ?? "" });
    case "CloneDisk":
      return post(`disks/${diskID}/clone`, {});
    case "RestoreBackup":
      return post(`backups/${spec.backupID}/restore`, { compute_id: Number(id), overwrite: spec.overwrite ?? false });
  }
}

function deviceOf(diskID: string, index: number): [string, JsonObject] {
  return [`sd${"abcdefg".charAt(index)}`, { disk_id: Number(diskID), volume_id: null }];
}
