/** Requests for actions on an instance: part 2, section 4.5. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import type { References, ResolvedReferences } from "../../core/kind/reference.ts";
import { actions } from "./action-spec.ts";
import type { Action, ActionSpec } from "./action-spec.ts";
import { password, scriptAnswers, scriptData, userData } from "./deployed-image.ts";
import { given } from "../given.ts";

const scriptRef = "rebuild.stackScript.dataSecretRef";

export const references = {
  instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true },
  restoreToRef: { kind: "ComputeInstance", from: (spec) => spec.restoreToRef, contained: true },
  "clone.instanceRef": { kind: "ComputeInstance", from: (spec) => spec.clone?.instanceRef, contained: true },
  passwordSecretRef: { secret: (spec) => spec.passwordSecretRef, ...password, creationOnly: true },
  [scriptRef]: { secret: (spec) => spec.rebuild?.stackScript?.dataSecretRef, ...scriptAnswers, creationOnly: true },
  "rebuild.userDataSecretRef": { secret: (spec) => spec.rebuild?.userDataSecretRef, ...userData },
} satisfies References<ActionSpec>;

type Values = ResolvedReferences<typeof references>;

/** Returns the target instance of a clone or a restore. */
export function otherOf(refs: Pick<Values, "clone.instanceRef" | "restoreToRef">) {
  return refs["clone.instanceRef"] ?? refs.restoreToRef;
}

/** Returns the request for an action on the instance with the ID. Throws if the answers to the StackScript in `dataSecretRef` are unreadable. */
export function requestOf(spec: ActionSpec, id: string, refs: Values): Call {
  const { action } = spec;
  const { path = action.toLowerCase(), stops = false } = actions[action];
  const below = path.replace(/\{(\w+)\}/, (_, field: "diskID" | "backupID") => spec[field] ?? "");
  const body = bodies[action]?.(spec, refs, id);
  return {
    method: "POST",
    path: `/compute/instances/${id}/${below}`,
    ...(body && { body: given(body) }),
    action,
    note: `${action} of instance ${id}`,
    destructive: true,
    stops,
  };
}

type BodyOf = (spec: ActionSpec, refs: Values, id: string) => Record<string, Json | undefined> | undefined;

const profile: BodyOf = ({ configID }) => (configID === undefined ? undefined : { config_id: Number(configID) });

const bodies: Partial<Record<Action, BodyOf>> = {
  Boot: profile,
  Reboot: profile,
  Rescue: (spec) => ({ devices: rescueDevices(spec) }),
  Rebuild: ({ image, rebuild }, refs) => ({
    image,
    root_pass: refs.passwordSecretRef ?? "",
    type: rebuild?.type,
    booted: rebuild?.booted,
    authorized_keys: rebuild?.authorizedKeys,
    authorized_users: rebuild?.authorizedUsers,
    stackscript_id: rebuild?.stackScript?.id,
    stackscript_data: rebuild?.stackScript?.dataSecretRef && scriptData(refs[scriptRef], `spec.${scriptRef}`),
    metadata: rebuild?.userDataSecretRef && { user_data: refs["rebuild.userDataSecretRef"] ?? "" },
  }),
  Resize: ({ type, allowAutoDiskResize }) => ({ type, allow_auto_disk_resize: allowAutoDiskResize }),
  Migrate: ({ region, upgrade }) => ({ region, upgrade }),
  Upgrade: ({ allowAutoDiskResize }) => ({ allow_auto_disk_resize: allowAutoDiskResize }),
  ResetPassword: (_, refs) => ({ root_pass: refs.passwordSecretRef ?? "" }),
  ResetDiskPassword: (_, refs) => ({ password: refs.passwordSecretRef ?? "" }),
  CloneDisk: () => ({}),
  RestoreBackup: ({ overwrite = false }, refs, id) => ({ compute_id: Number(otherOf(refs)?.id ?? id), overwrite }),
  Clone: ({ clone }, refs) => ({
    compute_id: Number(otherOf(refs)?.id),
    disks: clone?.diskIDs?.map(Number),
    configs: clone?.configIDs?.map(Number),
  }),
};

/** Returns the disks, then the volumes, in the slots sda to sdg. */
function rescueDevices({ rescueDiskIDs = [], rescueVolumeIDs = [] }: ActionSpec): JsonObject {
  const disks = rescueDiskIDs.map((one) => ({ disk_id: Number(one), volume_id: null }));
  const volumes = rescueVolumeIDs.map((one) => ({ disk_id: null, volume_id: Number(one) }));
  return Object.fromEntries([...disks, ...volumes].map((device, index) => [`sd${"abcdefg".charAt(index)}`, device]));
}
