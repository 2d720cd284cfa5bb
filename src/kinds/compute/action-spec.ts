/** The actions on an instance: what is known of each, and which fields of a spec belong to which. */
import * as z from "zod";
import { allowedFor, anotherThan, atMostTogether, belonging, neededFor } from "../../core/kind/rules.ts";
import {
  from,
  identifier,
  idOf,
  immutable,
  orderedList,
  referenceTo,
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

const instance = referenceTo("ComputeInstance");
/** What is named is part of the instance that `instanceRef` names. */
const partOf = (list: string, single = false) => ({ within: { field: "instanceRef", list, single } });
const name = z.string().min(1).max(64);
const diskID = idOf("ComputeDisk", partOf("disks")).describe("Identifier of a disk.");
const volumeID = idOf("Volume").describe("Identifier of a volume.");
const configID = idOf("ComputeConfig", partOf("configs")).describe("Identifier of a configuration profile.");
const flag = (absent: boolean, description: string) => immutable(z.boolean(), { absent }).describe(description);

const fields = z.object({
  instanceRef: instance,
  action: z
    .enum(names)
    .describe(
      "What is done, once. Rescue boots a rescue system with the disks that are named; a Reboot ends it. Upgrade moves an instance of a deprecated type to the type's successor: set `spec.type` of its ComputeInstance to that afterwards. Clone copies disks and configuration profiles to another instance.",
    ),
  image: neededFor(["Rebuild"], from("Image", identifier(z.string().min(1).max(128))).describe("Image to deploy.")),
  type: neededFor(["Resize"], from("ComputeType", name).describe("Type to change to.")),
  region: allowedFor(["Migrate"], from("Region", name).describe("Region to move to; the same one if not given.")),
  allowAutoDiskResize: allowedFor(["Resize", "Upgrade"], flag(true, "Resize its disk as well; yes if not given.")),
  upgrade: allowedFor(
    ["Migrate"],
    z.boolean().describe("Whether it moves to the latest hardware of its type as well."),
  ),
  configID: allowedFor(["Boot", "Reboot"], configID.describe("Profile to boot; the last one booted if not given.")),
  rebuild: allowedFor(
    ["Rebuild"],
    z
      .object({
        type: from("ComputeType", name).describe("Type to change to as well.").optional(),
        authorizedKeys: deployedImage.authorizedKeys,
        authorizedUsers: deployedImage.authorizedUsers,
        stackScript: deployedImage.stackScript,
        userDataSecretRef: secretKeyReference("User data for cloud-init, plain or gzip.", "user-data").optional(),
        booted: z.boolean().describe("Whether the instance is on afterwards; yes if not given.").optional(),
      })
      .describe("What else the image is deployed with."),
  ),
  clone: neededFor(
    ["Clone"],
    z
      .object({
        instanceRef: instance.describe("The instance to copy to, which has room for it."),
        diskIDs: setOf(diskID, 32).describe("Disks to copy; all if not given.").optional(),
        configIDs: setOf(configID, 32)
          .describe("Profiles to copy, with the disks that they name; all if not given.")
          .optional(),
      })
      .describe("What is copied and to where."),
  ),
  diskID: neededFor(["ResetDiskPassword", "CloneDisk"], diskID),
  rescueDiskIDs: allowedFor(["Rescue"], orderedList(diskID, 7).describe("Disks that it gets, from sda on.")),
  rescueVolumeIDs: allowedFor(["Rescue"], orderedList(volumeID, 7).describe("Volumes that it gets, after the disks.")),
  backupID: neededFor(["RestoreBackup"], idOf("Backup", partOf("backups", true)).describe("Backup of this instance.")),
  restoreToRef: allowedFor(["RestoreBackup"], instance.describe("Instance to restore to; this one if not given.")),
  overwrite: allowedFor(["RestoreBackup"], flag(false, "Delete all disks of the instance that is restored to first.")),
  passwordSecretRef: neededFor(
    ["Rebuild", "ResetPassword", "ResetDiskPassword"],
    secretKeyReference("The Secret with the new root password.", "password"),
  ),
});

const elsewhere = anotherThan(fields, "clone.instanceRef", "instanceRef", "instance");
const fitting = atMostTogether(elsewhere, ["rescueDiskIDs", "rescueVolumeIDs"], { most: 7, items: "entries" });
export const actionSpec = belonging(fitting, "action");

export type ActionSpec = z.output<typeof actionSpec>;
