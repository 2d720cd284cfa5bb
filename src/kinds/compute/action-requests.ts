/** The requests of actions on an instance: part 2, section 4.5. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import type { Action, ActionSpec } from "./action-spec.ts";
import { scriptData } from "./deployed-image.ts";
import { given } from "../given.ts";

/** The reference that its script's data comes from. */
export const scriptRef = "rebuild.stackScript.dataSecretRef";

/** The other instance that it is done to. */
export function otherOf(refs: Values): { id: string } | undefined {
  return refs["clone.instanceRef"] ?? refs.restoreToRef;
}

type Values = Partial<
  Record<"passwordSecretRef" | "rebuild.stackScript.dataSecretRef" | "rebuild.userDataSecretRef", string | undefined> &
    Record<"restoreToRef" | "clone.instanceRef", { id: string } | undefined>
>;

/** The request of an action on the instance of this id. Throws where the data of its script cannot be read. */
export function requestOf(spec: ActionSpec, id: string, refs: Values): Call {
  const { path = spec.action.toLowerCase(), body } = requests[spec.action](spec, refs, id);
  return {
    method: "POST",
    path: `/compute/instances/${id}/${path}`,
    ...(body && { body: given(body) }),
    action: spec.action,
    note: `${spec.action} of instance ${id}`,
    destructive: true,
  };
}

/** `path`: below the instance; the action in small letters if not given. */
type RequestOf = (
  spec: ActionSpec,
  refs: Values,
  id: string,
) => { path?: string; body?: Record<string, Json | undefined> };

const boot: RequestOf = ({ configID }) => (configID === undefined ? {} : { body: { config_id: Number(configID) } });

const requests: Record<Action, RequestOf> = {
  Boot: boot,
  Reboot: boot,
  Shutdown: () => ({}),
  Rescue: (spec) => ({ body: { devices: rescueDevices(spec) } }),
  Rebuild: ({ image = "", rebuild }, refs) => ({
    body: {
      image,
      root_pass: refs.passwordSecretRef ?? "",
      type: rebuild?.type,
      booted: rebuild?.booted,
      authorized_keys: rebuild?.authorizedKeys,
      authorized_users: rebuild?.authorizedUsers,
      stackscript_id: rebuild?.stackScript?.id,
      stackscript_data: rebuild?.stackScript?.dataSecretRef && scriptData(refs[scriptRef], `spec.${scriptRef}`),
      metadata: rebuild?.userDataSecretRef && { user_data: refs["rebuild.userDataSecretRef"] ?? "" },
    },
  }),
  Resize: ({ type, allowAutoDiskResize }) => ({ body: { type, allow_auto_disk_resize: allowAutoDiskResize } }),
  Migrate: ({ region, upgrade }) => ({ body: { region, upgrade } }),
  Upgrade: ({ allowAutoDiskResize }) => ({
    path: "mutate",
    body: { allow_auto_disk_resize: allowAutoDiskResize },
  }),
  ResetPassword: (_, refs) => ({ path: "password", body: { root_pass: refs.passwordSecretRef ?? "" } }),
  ResetDiskPassword: ({ diskID }, refs) => ({
    path: `disks/${diskID}/password`,
    body: { password: refs.passwordSecretRef ?? "" },
  }),
  CloneDisk: ({ diskID }) => ({ path: `disks/${diskID}/clone`, body: {} }),
  RestoreBackup: ({ backupID, overwrite = false }, { restoreToRef: target }, id) => ({
    path: `backups/${backupID}/restore`,
    body: { compute_id: Number(target?.id ?? id), overwrite },
  }),
  Clone: ({ clone }, { "clone.instanceRef": target }) => ({
    body: {
      compute_id: Number(target?.id),
      disks: clone?.diskIDs?.map(Number),
      configs: clone?.configIDs?.map(Number),
    },
  }),
};

/** Disks, then volumes, as sda to sdg. */
function rescueDevices({ rescueDiskIDs = [], rescueVolumeIDs = [] }: ActionSpec): JsonObject {
  const disks = rescueDiskIDs.map((one) => ({ disk_id: Number(one), volume_id: null }));
  const volumes = rescueVolumeIDs.map((one) => ({ disk_id: null, volume_id: Number(one) }));
  return Object.fromEntries([...disks, ...volumes].map((device, index) => [`sd${"abcdefg".charAt(index)}`, device]));
}
