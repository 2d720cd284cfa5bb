/** The actions on an instance: what is known of each, and which fields of a spec belong to which. */
import * as z from "zod";
import { allowedFor, atMostTogether, belonging, neededFor } from "../../core/kind/rules.ts";
import {
  externalId,
  from,
  identifier,
  immutable,
  orderedList,
  referenceTo,
  rule,
  secretKeyReference,
  setOf,
} from "../../core/kind/schema.ts";
import { deployedImage } from "./deployed-image.ts";

interface Facts {
  /** Of its request, below the instance, with fields of the spec in braces; its name in small letters if not given. */
  path?: string;
  /** The events that tell of it. */
  events: string[];
  /** What nothing but the action leads to; an instance that is so already needs no request. */
  state?: string;
  /** The field of a ComputeInstance that says the same: one of the two decides. */
  owner?: string;
  /** It loses data or cannot be taken back. */
  destructive?: boolean;
}

/** A rescue is told of as a boot (not-shown, section 9). */
const facts = {
  Boot: { events: ["compute_boot"], state: "running", owner: "powerState" },
  Reboot: { events: ["compute_reboot"] },
  Shutdown: { events: ["compute_shutdown"], state: "offline", owner: "powerState" },
  Rescue: { events: ["compute_boot", "compute_rescue"] },
  Rebuild: { events: ["compute_rebuild"], owner: "image", destructive: true },
  Resize: { events: ["compute_resize"], owner: "type", destructive: true },
  Migrate: { events: ["compute_migrate", "compute_migrate_datacenter"], owner: "region", destructive: true },
  Upgrade: { path: "mutate", events: ["compute_mutate"], destructive: true },
  ResetPassword: { path: "password", events: ["password_reset"], destructive: true },
  ResetDiskPassword: { path: "disks/{diskID}/password", events: ["password_reset"], destructive: true },
  CloneDisk: { path: "disks/{diskID}/clone", events: ["disk_duplicate"] },
  RestoreBackup: { path: "backups/{backupID}/restore", events: ["backups_restore"], destructive: true },
  Clone: { events: ["compute_clone"] },
};

export type Action = keyof typeof facts;
export const actions: Record<Action, Facts> = facts;
const names = Object.keys(actions) as Action[];
export const destructiveActions = names.filter((name) => actions[name].destructive);

/** A field that these actions need, and no other has. */
const needs = <T extends z.ZodType>(of: Action[], description: string, schema: T) =>
  neededFor(of, immutable(schema).describe(description));

/** A field that these actions may have, and no other; `absent`: what it means where it is not given. */
const may = <T extends z.ZodType>(of: Action[], description: string, schema: T, absent?: boolean) =>
  allowedFor(of, immutable(schema, { absent }).describe(description));

const instance = referenceTo("ComputeInstance");
const name = z.string().min(1).max(64);
const diskID = externalId().describe("Identifier of a disk.");

const fields = z.object({
  instanceRef: immutable(instance),
  action: immutable(
    z
      .enum(names)
      .describe(
        "What is done, once. Rescue boots a rescue system with the disks that are named; a Reboot ends it. Upgrade moves an instance of a deprecated type to the type's successor: set `spec.type` of its ComputeInstance to that afterwards. Clone copies disks and configuration profiles to another instance.",
      ),
  ),
  image: needs(["Rebuild"], "Image to deploy, for Rebuild.", from("Image", identifier(z.string().min(1).max(128)))),
  type: needs(["Resize"], "Type to change to, for Resize.", from("ComputeType", name)),
  region: may(["Migrate"], "Region to move to, for Migrate; the same one if not given.", from("Region", name)),
  allowAutoDiskResize: may(
    ["Resize", "Upgrade"],
    "Whether the disk follows the size of the type, for Resize and Upgrade; yes if not given.",
    z.boolean(),
    true,
  ),
  upgrade: may(
    ["Migrate"],
    "Whether it moves to the latest hardware of its type as well, for Migrate; refused where there is none.",
    z.boolean(),
  ),
  configID: may(
    ["Boot", "Reboot"],
    "Configuration profile to boot, for Boot and Reboot; the last one booted if not given.",
    externalId(),
  ),
  rebuild: may(
    ["Rebuild"],
    "What else the image is deployed with, for Rebuild.",
    z.object({
      type: from("ComputeType", name).describe("Type to change to as well.").optional(),
      authorizedKeys: deployedImage.authorizedKeys,
      authorizedUsers: deployedImage.authorizedUsers,
      stackScript: deployedImage.stackScript,
      userDataSecretRef: secretKeyReference("User data for cloud-init, plain or gzip.", "user-data").optional(),
      booted: z.boolean().describe("Whether the instance is on afterwards; yes if not given.").optional(),
    }),
  ),
  clone: needs(
    ["Clone"],
    "What is copied and to where, for Clone.",
    z.object({
      instanceRef: instance.describe("The instance to copy to, which has room for it."),
      diskIDs: setOf(diskID, 32).describe("Disks to copy; all if not given.").optional(),
      configIDs: setOf(externalId().describe("Identifier of a profile."), 32)
        .describe("Configuration profiles to copy, with the disks that they name; all if not given.")
        .optional(),
    }),
  ),
  diskID: needs(["ResetDiskPassword", "CloneDisk"], "Disk, for ResetDiskPassword and CloneDisk.", externalId()),
  rescueDiskIDs: may(
    ["Rescue"],
    "Disks that the rescue system gets as sda, sdb, …, for Rescue.",
    orderedList(diskID, 7),
  ),
  rescueVolumeIDs: may(
    ["Rescue"],
    "Volumes that the rescue system gets after these, for Rescue.",
    orderedList(externalId().describe("Identifier of a volume."), 7),
  ),
  backupID: needs(["RestoreBackup"], "Backup of this instance, for RestoreBackup.", externalId()),
  restoreToRef: may(
    ["RestoreBackup"],
    "The instance to restore to, for RestoreBackup; this one if not given.",
    instance,
  ),
  overwrite: may(
    ["RestoreBackup"],
    "Delete all disks of the instance that is restored to first, for RestoreBackup.",
    z.boolean(),
    false,
  ),
  passwordSecretRef: needs(
    ["Rebuild", "ResetPassword", "ResetDiskPassword"],
    "The Secret with the new root password, for Rebuild, ResetPassword and ResetDiskPassword.",
    secretKeyReference("The Secret.", "password"),
  ),
});

const elsewhere = rule(fields, {
  cel: ["name", "id"]
    .map((by) => [`self.clone.instanceRef.${by}`, `self.instanceRef.${by}`] as const)
    .map(([other, own]) => `(!has(self.clone) || !has(${other}) || !has(${own}) || ${other} != ${own})`)
    .join(" && "),
  check: ({ clone, instanceRef: { name, id } }) =>
    clone === undefined || clone.instanceRef.name !== name || clone.instanceRef.id !== id,
  message: "clone.instanceRef must be another instance than instanceRef",
  fieldPath: ".clone.instanceRef",
});

const fitting = atMostTogether(elsewhere, ["rescueDiskIDs", "rescueVolumeIDs"], {
  most: 7,
  items: "entries",
  fieldPath: ".rescueVolumeIDs",
});

export const actionSpec = belonging(fitting, "action");

export type ActionSpec = z.output<typeof actionSpec>;
