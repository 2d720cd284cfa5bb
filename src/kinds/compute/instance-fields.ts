/** The fields of an instance's body, and what they refer to: part 2, sections 4.1 and 4.5. */
import { tagsField } from "../../core/kind/tags.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { Field, Live } from "../../core/kind/live.ts";
import type { References } from "../../core/kind/reference.ts";
import { deploymentFields, imageReferences, needed, userData } from "./deployed-image.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import type { InstanceRow } from "./instance-status.ts";
import { interfaceBody } from "./interfaces.ts";

/** The Secrets that deploy an instance's image, and what it is made from. */
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

/** What deploys an image; a rebuild sends the same again. */
export const imageFields = {
  image: { want: ({ spec }) => spec.image, have: (wire) => wire.image, fixed: true, disrupts: true },
  ...deploymentFields,
  metadata: {
    says: "userDataSecretRef",
    want: ({ spec, refs }) =>
      spec.userDataSecretRef && { user_data: needed("spec.userDataSecretRef", refs.userDataSecretRef) },
    on: "create",
    sensitive: true,
  },
} satisfies Record<string, InstanceField>;

export const instanceFields = {
  label: { want: ({ spec, name }) => spec.label ?? name, have: (wire) => wire.label, key: true },
  region: { want: ({ spec }) => spec.region, have: (wire) => wire.region, fixed: true, disrupts: true },
  type: { want: ({ spec }) => spec.type, have: (wire) => wire.type, fixed: true, disrupts: true },
  ...imageFields,
  tags: tagsField,
  watchdog_enabled: { want: ({ spec }) => spec.watchdogEnabled, have: (wire) => wire.watchdog_enabled, on: "update" },
  private_ip: { want: ({ spec }) => spec.privateIP, on: "create" },
  // To turn backups off deletes them.
  backups_enabled: { says: "backups.enabled", want: ({ spec }) => spec.backups?.enabled, on: "create", disrupts: true },
  interfaces: { want: ({ spec }) => spec.interfaces?.map(interfaceBody), on: "create" },
  swap_size: { says: "swapSizeMB", want: ({ spec }) => spec.swapSizeMB, on: "create" },
  backup_id: {
    says: "source.backup",
    want: ({ refs }) => refs["source.backup"] && backupNumber(refs["source.backup"].id),
    on: "create",
  },
  booted: { says: "powerState", want: ({ spec }) => (spec.powerState === "Offline" ? false : undefined), on: "create" },
} satisfies Record<string, InstanceField>;

/** A backup may be known by a path of identifiers; its own is the last. */
function backupNumber(id: string): number {
  const number = Number(id.split("/").at(-1));
  if (Number.isInteger(number)) return number;
  throw new Invalid("spec.source.backup", `${id} is not the id of a backup`);
}
