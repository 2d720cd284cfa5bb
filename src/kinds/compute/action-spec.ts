/** What an action takes: which fields belong to which. */
import * as z from "zod";
import { deployedImage } from "./deployed-image.ts";
import {
  from,
  externalId,
  identifier,
  immutable,
  orderedList,
  referenceTo,
  rule,
  secretKeyReference,
  setOf,
} from "../../core/kind/schema.ts";

const actions = [
  "Boot",
  "Reboot",
  "Shutdown",
  "Rescue",
  "Rebuild",
  "Resize",
  "Migrate",
  "Upgrade",
  "ResetPassword",
  "ResetDiskPassword",
  "CloneDisk",
  "RestoreBackup",
  "Clone",
] as const;

export type Action = (typeof actions)[number];

const fields = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance")),
  action: immutable(
    z
      .enum(actions)
      .describe(
        "What is done, once. Rescue boots a rescue system with the disks that are named; a Reboot ends it. Upgrade moves an instance of a deprecated type to the type's successor: set `spec.type` of its ComputeInstance to that afterwards. Clone copies disks and configuration profiles to another instance.",
      ),
  ),
  image: immutable(
    from("Image", identifier(z.string().min(1).max(128))).describe("Image to deploy, for Rebuild."),
  ).optional(),
  type: immutable(from("ComputeType", z.string().min(1).max(64)).describe("Type to change to, for Resize.")).optional(),
  region: immutable(
    from("Region", z.string().min(1).max(64)).describe("Region to move to, for Migrate; the same one if not given."),
  ).optional(),
  allowAutoDiskResize: immutable(
    z.boolean().describe("Whether the disk follows the size of the type, for Resize and Upgrade; yes if not given."),
    { absent: true },
  ).optional(),
  upgrade: immutable(
    z
      .boolean()
      .describe(
        "Whether it moves to the latest hardware of its type as well, for Migrate; refused where there is none.",
      ),
  ).optional(),
  configID: immutable(
    externalId().describe("Configuration profile to boot, for Boot and Reboot; the last one booted if not given."),
  ).optional(),
  rebuild: immutable(
    z.object({
      type: from("ComputeType", z.string().min(1).max(64)).describe("Type to change to as well.").optional(),
      authorizedKeys: deployedImage.authorizedKeys,
      authorizedUsers: deployedImage.authorizedUsers,
      stackScript: deployedImage.stackScript,
      userDataSecretRef: secretKeyReference("User data for cloud-init, plain or gzip.", "user-data").optional(),
      booted: z.boolean().describe("Whether the instance is on afterwards; yes if not given.").optional(),
    }),
  )
    .describe("What else the image is deployed with, for Rebuild.")
    .optional(),
  clone: immutable(
    z.object({
      instanceRef: referenceTo("ComputeInstance").describe("The instance to copy to, which has room for it."),
      diskIDs: setOf(externalId().describe("Identifier of a disk."), 32)
        .describe("Disks to copy; all if not given.")
        .optional(),
      configIDs: setOf(externalId().describe("Identifier of a profile."), 32)
        .describe("Configuration profiles to copy, with the disks that they name; all if not given.")
        .optional(),
    }),
  )
    .describe("What is copied and to where, for Clone.")
    .optional(),
  diskID: immutable(externalId().describe("Disk, for ResetDiskPassword and CloneDisk.")).optional(),
  rescueDiskIDs: immutable(
    orderedList(externalId().describe("Identifier of a disk."), 7).describe(
      "Disks that the rescue system gets as sda, sdb, …, for Rescue.",
    ),
  ).optional(),
  rescueVolumeIDs: immutable(
    orderedList(externalId().describe("Identifier of a volume."), 7).describe(
      "Volumes that the rescue system gets after these, for Rescue.",
    ),
  ).optional(),
  backupID: immutable(externalId().describe("Backup of this instance, for RestoreBackup.")).optional(),
  restoreToRef: immutable(
    referenceTo("ComputeInstance").describe("The instance to restore to, for RestoreBackup; this one if not given."),
  ).optional(),
  overwrite: immutable(
    z.boolean().describe("Delete all disks of the instance that is restored to first, for RestoreBackup."),
    {
      absent: false,
    },
  ).optional(),
  passwordSecretRef: immutable(
    secretKeyReference(
      "The Secret with the new root password, for Rebuild, ResetPassword and ResetDiskPassword.",
      "password",
    ),
  ).optional(),
});

type Fields = z.output<typeof fields>;

/** A field that some actions need, or may have, and no other. */
interface Parameter {
  field: keyof Fields;
  of: readonly Action[];
  optional?: boolean;
}

const parameters: Parameter[] = [
  { field: "image", of: ["Rebuild"] },
  { field: "type", of: ["Resize"] },
  { field: "region", of: ["Migrate"], optional: true },
  { field: "allowAutoDiskResize", of: ["Resize", "Upgrade"], optional: true },
  { field: "upgrade", of: ["Migrate"], optional: true },
  { field: "configID", of: ["Boot", "Reboot"], optional: true },
  { field: "rebuild", of: ["Rebuild"], optional: true },
  { field: "clone", of: ["Clone"] },
  { field: "diskID", of: ["ResetDiskPassword", "CloneDisk"] },
  { field: "rescueDiskIDs", of: ["Rescue"], optional: true },
  { field: "rescueVolumeIDs", of: ["Rescue"], optional: true },
  { field: "backupID", of: ["RestoreBackup"] },
  { field: "restoreToRef", of: ["RestoreBackup"], optional: true },
  { field: "overwrite", of: ["RestoreBackup"], optional: true },
  { field: "passwordSecretRef", of: ["Rebuild", "ResetPassword", "ResetDiskPassword"] },
];

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

const fitting = rule(elsewhere, {
  cel: "(has(self.rescueDiskIDs) ? size(self.rescueDiskIDs) : 0) + (has(self.rescueVolumeIDs) ? size(self.rescueVolumeIDs) : 0) <= 7",
  check: ({ rescueDiskIDs = [], rescueVolumeIDs = [] }) => rescueDiskIDs.length + rescueVolumeIDs.length <= 7,
  message: "rescueDiskIDs and rescueVolumeIDs together may have at most 7 entries",
  fieldPath: ".rescueVolumeIDs",
});

export const actionSpec = parameters.reduce((schema, { field, of, optional = false }) => {
  const list = of.map((one) => `'${one}'`).join(", ");
  const fits = (action: Action, given: boolean): boolean => (of.includes(action) ? given || optional : !given);
  return rule(schema, {
    cel: optional
      ? `!has(self.${field}) || self.action in [${list}]`
      : `has(self.${field}) == (self.action in [${list}])`,
    check: (spec) => fits(spec.action, spec[field] !== undefined),
    message: `${field} ${optional ? "may be given only" : "must be given for, and only"} for the action ${of.join(" or ")}`,
  });
}, fitting);

export type ActionSpec = Fields;

/** They lose data or cannot be taken back: a manifest that is applied again long after must not run them. */
const destructive = ["Rebuild", "Resize", "Migrate", "Upgrade", "ResetPassword", "ResetDiskPassword", "RestoreBackup"];

export const destructiveNeedsTime = {
  fieldPath: ".spec.notAfter",
  cel: `!(self.spec.action in [${destructive.map((one) => `'${one}'`).join(", ")}]) || has(self.spec.notAfter)`,
  message: `spec.notAfter must be given for the actions ${destructive.join(", ")}: after that time they are not started`,
};
