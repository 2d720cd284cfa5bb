import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { defineOnce } from "../../core/kind/once.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { actionExamples } from "./action-examples.ts";
import { otherOf, requestOf, scriptRef } from "./action-requests.ts";
import { actionSpec, destructiveNeedsTime } from "./action-spec.ts";
import type { Action, ActionSpec } from "./action-spec.ts";
import { instanceWire } from "./instance-status.ts";
import { readiness } from "./power.ts";

/** What is read of the instance that is restored or cloned to. */
const targetWire = instanceWire.pick({ status: true });
const timed = z.object({ created: z.string() });

/** Actions on an instance: part 2, section 4.5; not-shown, section 3. */
export const computeAction = defineOnce({
  kind: "ComputeAction",
  plural: "computeactions",
  shortNames: ["cpact"],
  doc: "One action on an instance, run once: a reboot, a rescue, a reset of the root password. To run it again, create another object.",
  columns: [
    { name: "Action", jsonPath: ".spec.action" },
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Progress", jsonPath: ".status.run.progressPercent", type: "integer" },
    { name: "Result", jsonPath: ".status.run.result" },
  ],
  spec: actionSpec,
  status: z.object({ state: z.string().max(32).describe("State of the instance, in the API's words.").optional() }),
  wire: instanceWire,
  admission: [destructiveNeedsTime],
  references: {
    instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true },
    restoreToRef: { kind: "ComputeInstance", from: (spec) => spec.restoreToRef, contained: true },
    "clone.instanceRef": { kind: "ComputeInstance", from: (spec) => spec.clone?.instanceRef, contained: true },
    passwordSecretRef: { secret: (spec) => spec.passwordSecretRef, key: "password", creationOnly: true },
    [scriptRef]: {
      secret: (spec) => spec.rebuild?.stackScript?.dataSecretRef,
      key: "data",
      creationOnly: true,
    },
    "rebuild.userDataSecretRef": {
      secret: (spec) => spec.rebuild?.userDataSecretRef,
      key: "user-data",
      encoding: "base64",
      creationOnly: true,
    },
  },
  at: () => "/compute/instances",
  eventEntity: "compute",
  createdField: "created",
  target: ({ refs }) => refs.instanceRef.id,
  details: ({ refs, applied }) => {
    const target = applied?.["target"] ?? otherOf(refs)?.id;
    return target === undefined ? {} : { target: { path: `/compute/instances/${target}`, optional: true } };
  },
  ready: ({ wire, details }) => {
    const own = readiness(wire.status, undefined);
    const { data: target } = targetWire.safeParse(details?.["target"]);
    return own.ready && target ? readiness(target.status, undefined) : own;
  },
  request: ({ spec, refs, id, wire, details }) => {
    refuseOwned(spec, refs.instanceRef.spec);
    // The cloud API refuses it then, as it does while the instance is busy.
    if (statusAfter[spec.action] === wire.status) return refuseProfile(spec);
    const call = requestOf(spec, id, refs);
    if (spec.action === "Upgrade") return { ...call, applies: { from: wire.type } };
    const other = otherOf(refs);
    return other ? { ...call, applies: { target: other.id, ...createdOf(details?.["target"]) } } : call;
  },
  sensitive: ["root_pass", "password", "stackscript_data", "metadata"],
  // What else the row shows may have been so before.
  evident: ({ spec, wire, applied, details }) => {
    // What it was done to is gone, or has given its id to another one.
    if (applied?.["target"] !== undefined && isGone(details?.["target"], applied["created"])) return false;
    const after = statusAfter[spec.action];
    if (after !== undefined) return wire.status === after;
    if (spec.action === "Resize") return wire.type === spec.type;
    if (spec.action === "Upgrade" && applied?.["from"] !== undefined) return wire.type !== applied["from"];
    return spec.action === "Migrate" && spec.region !== undefined ? wire.region === spec.region : undefined;
  },
  // A restore is told of the instance that is restored to, a clone of the one that is copied.
  events: ({ spec, refs, applied }) => ({
    names: eventsOf[spec.action],
    ...(spec.action === "RestoreBackup" && { about: applied?.["target"] ?? refs.restoreToRef?.id }),
  }),
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
  Clone: ["compute_clone"],
};

/** Fields of a ComputeInstance that say the same as an action, or as a field of it: one of the two decides. */
function* ownedBy({ action, rebuild }: ActionSpec): Generator<readonly [says: string, field: string]> {
  if (action === "Boot" || action === "Shutdown") yield ["action", "powerState"];
  if (action === "Resize") yield ["action", "type"];
  if (action === "Migrate") yield ["action", "region"];
  if (action === "Rebuild") yield ["action", "image"];
  if (rebuild?.type !== undefined) yield ["rebuild.type", "type"];
  if (rebuild?.booted !== undefined) yield ["rebuild.booted", "powerState"];
}

function refuseOwned(spec: ActionSpec, instance: JsonObject | undefined): void {
  for (const [says, field] of ownedBy(spec)) {
    if (instance?.[field] === undefined) continue;
    throw new Invalid(
      `spec.${says}`,
      `${spec.action} is not run, because ComputeInstance ${spec.instanceRef.name} sets spec.${field}. Change it there`,
    );
  }
}

/** An instance that is on may run with another profile, and the row does not tell. */
function refuseProfile({ action, configID }: ActionSpec): undefined {
  if (action !== "Boot" || configID === undefined) return undefined;
  throw new Invalid(
    "spec.configID",
    "the instance is on already, so Boot does not boot this profile. Use the action Reboot, or shut the instance down",
  );
}

/** An id is used again: that of the other instance means the one that was created then. */
function createdOf(target: Json | undefined): { created?: string } {
  return timed.safeParse(target).data ?? {};
}

function isGone(target: Json | undefined, created: string | undefined): boolean {
  return target === undefined || (created !== undefined && createdOf(target).created !== created);
}
