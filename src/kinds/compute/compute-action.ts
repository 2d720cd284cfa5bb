import type { Json, JsonObject } from "../../api/types.ts";
import { defineOnce } from "../../core/kind/once.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { needsNotAfter } from "../../core/kind/rules.ts";
import { actionExamples } from "./action-examples.ts";
import { otherOf, references, requestOf } from "./action-requests.ts";
import { actions, actionSpec, destructiveActions } from "./action-spec.ts";
import type { ActionSpec } from "./action-spec.ts";
import { instanceStatus, instanceWire, onInstance } from "./instance-status.ts";
import { readiness } from "./power.ts";

/** Actions on an instance: part 2, section 4.5; not-shown, section 3. */
export const computeAction = defineOnce({
  kind: "ComputeAction",
  plural: "computeactions",
  shortNames: ["cpact"],
  noun: "instance",
  doc: "One action on an instance, such as a reboot, a rescue or a reset of the root password. The operator runs the action once. To run the action again, create a new object.",
  columns: [
    { name: "Action", jsonPath: ".spec.action" },
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Progress", jsonPath: ".status.run.progressPercent", type: "integer" },
  ],
  spec: actionSpec,
  status: instanceStatus.pick({ state: true }),
  reach: "own",
  canStop: true,
  ...onInstance,
  target: ({ refs }) => refs.instanceRef.id,
  admission: [needsNotAfter(destructiveActions)],
  references,
  createdField: "created",
  details: ({ refs, applied }) => {
    const target = applied?.["target"] ?? otherOf(refs)?.id;
    return target === undefined ? {} : { target: { path: `/compute/instances/${target}`, optional: true } };
  },
  ready: ({ wire, details }) => {
    const own = readiness(wire.status, undefined);
    const { status } = otherIn(details) ?? {};
    return own.ready && status !== undefined ? readiness(status, undefined) : own;
  },
  request: ({ spec, refs, id, wire, details }) => {
    refuseOwned(spec, refs.instanceRef.spec);
    // The cloud API refuses such a request with the same response as for a busy instance.
    if (actions[spec.action].state === wire.status) {
      if (spec.configID === undefined) return undefined;
      // The row does not show the booted profile, which can be a different profile.
      throw new Invalid("spec.configID", "the instance is on, so Boot does not boot this profile. Use Reboot");
    }
    const call = requestOf(spec, id, refs);
    if (spec.action === "Upgrade") return { ...call, applies: { from: wire.type } };
    const target = otherOf(refs)?.id;
    const { created } = otherIn(details) ?? {};
    return target === undefined ? call : { ...call, applies: { target, ...(created && { created }) } };
  },
  specFields: {
    type: ["type", "rebuild.type"],
    root_pass: "passwordSecretRef",
    password: "passwordSecretRef",
    stackscript_id: "rebuild.stackScript.id",
    stackscript_data: "rebuild.stackScript.dataSecretRef",
    metadata: "rebuild.userDataSecretRef",
    compute_id: ["restoreToRef", "clone.instanceRef", "instanceRef"],
    disks: "clone.diskIDs",
    configs: "clone.configIDs",
    devices: (_, rest) => (rest.includes("volume_id") ? "rescueVolumeIDs" : "rescueDiskIDs"),
  },
  sensitive: ["root_pass", "password", "stackscript_data", "metadata"],
  // Other values of the row can be older than the action.
  evident: ({ spec: { action, type, region }, wire, applied = {}, details }) => {
    if (applied["target"] !== undefined && !otherIn(details, applied["created"])) return false;
    const { state } = actions[action];
    if (state !== undefined) return wire.status === state;
    if (action === "Resize") return wire.type === type;
    if (applied["from"] !== undefined) return wire.type !== applied["from"];
    return region === undefined ? undefined : wire.region === region;
  },
  // Events report a restore for the target instance, and a clone for the source instance.
  events: ({ spec, refs, applied }) => ({
    names: actions[spec.action].events,
    ...(spec.action === "RestoreBackup" && { about: applied?.["target"] ?? refs.restoreToRef?.id }),
  }),
  report: ({ wire }) => ({ state: wire.status }),
  examples: actionExamples,
});

/**
 * Returns the row of the target instance of a restore or a clone. The cloud reuses IDs: with `created`, the function ignores an
 * instance with another creation time.
 */
function otherIn({ target }: Record<string, Json | undefined> = {}, created?: string) {
  const { data: other } = instanceWire.pick({ status: true, created: true }).partial().safeParse(target);
  return created === undefined || other?.created === created ? other : undefined;
}

/** Throws `Invalid` if the ComputeInstance sets a field with the same effect as the action or as a field of the action. */
function refuseOwned({ action, rebuild = {}, instanceRef }: ActionSpec, instance: JsonObject = {}): void {
  const owners = {
    action: actions[action].owner,
    "rebuild.type": rebuild.type && "type",
    "rebuild.booted": rebuild.booted === undefined ? undefined : "powerState",
  };
  for (const [field, owner] of Object.entries(owners)) {
    if (owner === undefined || instance[owner] === undefined) continue;
    const why = `ComputeInstance ${instanceRef.name} sets spec.${owner}. Change it there`;
    throw new Invalid(`spec.${field}`, `${action} is not run, because ${why}`);
  }
}
