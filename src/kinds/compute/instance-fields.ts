/** Body fields of an instance, with references: part 2, sections 4.1 and 4.5. */
import { tagsField } from "../../core/kind/tags.ts";
import { labelField } from "../label.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { Field, Live } from "../../core/kind/live.ts";
import type { References } from "../../core/kind/reference.ts";
import { deploymentFields, imageReferences, needed, userData } from "./deployed-image.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import type { InstanceRow } from "./instance-status.ts";
import { interfaceBody } from "./interfaces.ts";

/** References to the Secrets for the image, and to the source of the instance. */
export const instanceReferences = {
  ...imageReferences,
  userDataSecretRef: { secret: (spec) => spec.userDataSecretRef, ...userData, neededFor: "image" },
  "source.backup": { kind: "ComputeSnapshot", from: (spec) => spec.source?.backup, creationOnly: true },
  "source.clone.instanceRef": {
    kind: "ComputeInstance",
    from: (spec) => spec.source?.clone?.instanceRef,
    creationOnly: true,
  },
} satisfies References<InstanceSpec>;

export type LiveInstance = Live<InstanceSpec, typeof instanceReferences, InstanceRow>;
export type InstanceWanted = Pick<LiveInstance, "spec" | "name" | "namespace" | "refs">;

export function instancePath(id: string): string {
  return `/compute/instances/${id}`;
}

type InstanceField = Field<InstanceSpec, typeof instanceReferences, InstanceRow>;

/** Fields that deploy an image. A rebuild sends the fields again. */
export const imageFields = {
  image: { desired: ({ spec }) => spec.image, observed: (wire) => wire.image, fixed: true, disrupts: true },
  ...deploymentFields,
  metadata: {
    specField: "userDataSecretRef",
    desired: ({ spec, refs }) =>
      spec.userDataSecretRef && { user_data: needed("spec.userDataSecretRef", refs.userDataSecretRef) },
    on: "create",
    sensitive: true,
  },
} satisfies Record<string, InstanceField>;

export const instanceFields = {
  label: labelField,
  region: { desired: ({ spec }) => spec.region, observed: (wire) => wire.region, fixed: true, disrupts: true },
  type: { desired: ({ spec }) => spec.type, observed: (wire) => wire.type, fixed: true, disrupts: true },
  ...imageFields,
  tags: tagsField,
  watchdog_enabled: {
    desired: ({ spec }) => spec.watchdogEnabled,
    observed: (wire) => wire.watchdog_enabled,
    concerns: "none",
    on: "update",
  },
  private_ip: { desired: ({ spec }) => spec.privateIP, on: "create" },
  // Turning backups off deletes all backups.
  backups_enabled: {
    specField: "backups.enabled",
    desired: ({ spec }) => spec.backups?.enabled,
    on: "create",
    disrupts: true,
  },
  interfaces: { desired: ({ spec }) => spec.interfaces?.map(interfaceBody), on: "create" },
  swap_size: { specField: "swapSizeMB", desired: ({ spec }) => spec.swapSizeMB, on: "create" },
  backup_id: {
    specField: "source.backup",
    desired: ({ refs }) => refs["source.backup"] && backupNumber(refs["source.backup"].id),
    on: "create",
  },
  booted: {
    specField: "powerState",
    desired: ({ spec }) => (spec.powerState === "Offline" ? false : undefined),
    on: "create",
  },
} satisfies Record<string, InstanceField>;

/** Returns the last part of a backup ID, which can be a path. Throws `Invalid` if the last part is not a number. */
function backupNumber(id: string): number {
  const number = Number(id.split("/").at(-1));
  if (Number.isInteger(number)) return number;
  throw new Invalid("spec.source.backup", `${id} is not the id of a backup`);
}
