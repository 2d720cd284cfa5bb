/** Actions on an instance: facts about each action, and the spec fields of each action. */
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
  /** Path below the instance, with spec fields in braces. Defaults to the name of the action in lower case. */
  path?: string;
  /** Events that report the action. */
  events: string[];
  /** Status that only the action leads to. If the instance already has the status, the operator sends no request. */
  state?: string;
  /** Field of a ComputeInstance with the same effect. If the field is set, the operator refuses the action. */
  owner?: string;
  /** True if the action loses data or cannot be undone. */
  destructive?: boolean;
  /** True if a running instance stops. */
  stops?: boolean;
}

/** The events report a rescue as a boot (not-shown, section 9). */
const facts = {
  Boot: { events: ["compute_boot"], state: "running", owner: "powerState" },
  Reboot: { events: ["compute_reboot"], stops: true },
  Shutdown: { events: ["compute_shutdown"], state: "offline", owner: "powerState", stops: true },
  Rescue: { events: ["compute_boot", "compute_rescue"], stops: true },
  Rebuild: { events: ["compute_rebuild"], owner: "image", destructive: true, stops: true },
  Resize: { events: ["compute_resize"], owner: "type", destructive: true, stops: true },
  Migrate: {
    events: ["compute_migrate", "compute_migrate_datacenter"],
    owner: "region",
    destructive: true,
    stops: true,
  },
  Upgrade: { path: "mutate", events: ["compute_mutate"], destructive: true, stops: true },
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
/** Marks the name of a part of the instance in `instanceRef`. */
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
      "Rescue boots a rescue system with the given disks. A Reboot ends the rescue. Upgrade moves an instance of a deprecated type to the successor type: afterwards, set `spec.type` of the ComputeInstance to the successor. Clone copies disks and configuration profiles to another instance.",
    ),
  image: neededFor(["Rebuild"], from("Image", identifier(z.string().min(1).max(128))).describe("Image to deploy.")),
  type: neededFor(["Resize"], from("ComputeType", name).describe("New type.")),
  region: allowedFor(["Migrate"], from("Region", name).describe("Region to move to. Defaults to the current region.")),
  allowAutoDiskResize: allowedFor(
    ["Resize", "Upgrade"],
    flag(true, "Whether the action also resizes the disk. Defaults to true."),
  ),
  upgrade: allowedFor(
    ["Migrate"],
    z.boolean().describe("Whether the instance also moves to the latest hardware of its type."),
  ),
  configID: allowedFor(
    ["Boot", "Reboot"],
    configID.describe("Configuration profile to boot. Defaults to the last booted profile."),
  ),
  rebuild: allowedFor(
    ["Rebuild"],
    z
      .object({
        type: from("ComputeType", name)
          .describe("New type of the instance. If absent, the type does not change.")
          .optional(),
        authorizedKeys: deployedImage.authorizedKeys,
        authorizedUsers: deployedImage.authorizedUsers,
        stackScript: deployedImage.stackScript,
        userDataSecretRef: secretKeyReference(
          "Secret with user data for cloud-init, plain or gzip.",
          "user-data",
        ).optional(),
        booted: z.boolean().describe("Whether the instance boots after the rebuild. Defaults to true.").optional(),
      })
      .describe("Further settings for the deployment of the image."),
  ),
  clone: neededFor(
    ["Clone"],
    z
      .object({
        instanceRef: instance.describe("Instance to copy to. The instance needs enough free disk space."),
        diskIDs: setOf(diskID, 32).describe("Disks to copy. Defaults to all disks.").optional(),
        configIDs: setOf(configID, 32)
          .describe("Configuration profiles to copy, together with their disks. Defaults to all profiles.")
          .optional(),
      })
      .describe("Target and content of the copy."),
  ),
  diskID: neededFor(["ResetDiskPassword", "CloneDisk"], diskID),
  rescueDiskIDs: allowedFor(["Rescue"], orderedList(diskID, 7).describe("Disks of the rescue system, from sda on.")),
  rescueVolumeIDs: allowedFor(
    ["Rescue"],
    orderedList(volumeID, 7).describe("Volumes of the rescue system, after the disks."),
  ),
  backupID: neededFor(["RestoreBackup"], idOf("Backup", partOf("backups", true)).describe("Backup of the instance.")),
  restoreToRef: allowedFor(
    ["RestoreBackup"],
    instance.describe("Instance to restore to. Defaults to the instance of the backup."),
  ),
  overwrite: allowedFor(
    ["RestoreBackup"],
    flag(false, "Whether the cloud first deletes all disks of the target instance, with all data. Defaults to false."),
  ),
  passwordSecretRef: neededFor(
    ["Rebuild", "ResetPassword", "ResetDiskPassword"],
    secretKeyReference("Secret with the new root password.", "password"),
  ),
});

const elsewhere = anotherThan(fields, "clone.instanceRef", "instanceRef", "instance");
const fitting = atMostTogether(elsewhere, ["rescueDiskIDs", "rescueVolumeIDs"], { most: 7, items: "entries" });
export const actionSpec = belonging(fitting, "action");

export type ActionSpec = z.output<typeof actionSpec>;
