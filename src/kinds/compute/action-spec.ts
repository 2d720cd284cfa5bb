/** What an action takes: which fields belong to which. */
import * as z from "zod";
import {
  from,
  externalId,
  identifier,
  immutable,
  orderedList,
  referenceTo,
  rule,
  secretKeyReference,
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
] as const;

export type Action = (typeof actions)[number];

const fields = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance")),
  action: immutable(
    z
      .enum(actions)
      .describe(
        "What is done, once. Rescue boots a rescue system with the disks that are named; a Reboot ends it. Upgrade moves an instance of a deprecated type to the type's successor: set `spec.type` of its ComputeInstance to that afterwards.",
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
  diskID: immutable(externalId().describe("Disk, for ResetDiskPassword and CloneDisk.")).optional(),
  rescueDiskIDs: immutable(
    orderedList(externalId().describe("Identifier of a disk."), 7).describe(
      "Disks that the rescue system gets as sda, sdb, …, for Rescue.",
    ),
  ).optional(),
  backupID: immutable(externalId().describe("Backup of this instance, for RestoreBackup.")).optional(),
  overwrite: immutable(z.boolean().describe("Delete all disks of the instance first, for RestoreBackup."), {
    absent: false,
  }).optional(),
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
  { field: "diskID", of: ["ResetDiskPassword", "CloneDisk"] },
  { field: "rescueDiskIDs", of: ["Rescue"], optional: true },
  { field: "backupID", of: ["RestoreBackup"] },
  { field: "overwrite", of: ["RestoreBackup"], optional: true },
  { field: "passwordSecretRef", of: ["Rebuild", "ResetPassword", "ResetDiskPassword"] },
];

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
}, fields);

export type ActionSpec = Fields;

/** They lose data or cannot be taken back: a manifest that is applied again long after must not run them. */
const destructive = ["Rebuild", "Resize", "Migrate", "Upgrade", "ResetPassword", "ResetDiskPassword", "RestoreBackup"];

export const destructiveNeedsTime = {
  fieldPath: ".spec.notAfter",
  cel: `!(self.spec.action in [${destructive.map((one) => `'${one}'`).join(", ")}]) || has(self.spec.notAfter)`,
  message: `spec.notAfter must be given for the actions ${destructive.join(", ")}: after that time they are not started`,
};
