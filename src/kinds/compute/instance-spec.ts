/** What a user may say of an instance, and the rules over it. Part 2, sections 2.1 to 2.5 and 4.1. */
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import type { AdmissionRule } from "../../core/kind/schema.ts";
import {
  from,
  identifier,
  immutable,
  referenceTo,
  rule,
  secretKeyReference,
  setOf,
  transitionRule,
} from "../../core/kind/schema.ts";
import { tags } from "../../core/kind/tags.ts";
import { strictLabel } from "../label.ts";
import { deployedImage, needsImage } from "./deployed-image.ts";
import { interfaceList } from "./interfaces.ts";

const copiedParts = (of: string, list: string, what: string) =>
  setOf(
    cloudName(of, z.int().min(1), { creationOnly: true, within: { field: "source.clone.instanceRef", list } }),
    32,
  ).describe(`Identifiers of the ${what} to copy; all if not given.`);

const source = exactlyOneOf(
  z.object({
    backup: referenceTo("ComputeSnapshot")
      .describe("Backup to restore: a ComputeSnapshot by name, or any backup by its id.")
      .optional(),
    clone: z
      .object({
        instanceRef: referenceTo("ComputeInstance"),
        diskIDs: copiedParts("ComputeDisk", "disks", "disks").optional(),
        configIDs: copiedParts("ComputeConfig", "configs", "configuration profiles").optional(),
      })
      .describe("Copy another instance.")
      .optional(),
  }),
  ["backup", "clone"],
).describe("What to make the instance from instead of an image. Used at creation only, cannot be changed.");

const schedule = z.object({
  day: z
    .enum(["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])
    .describe("Day of the weekly backup."),
  window: z
    .enum(["W0", "W2", "W4", "W6", "W8", "W10", "W12", "W14", "W16", "W18", "W20", "W22"])
    .describe("Two hours in which backups are made: W4 is 04:00 to 06:00 UTC."),
});

const backups = rule(
  z.object({
    enabled: z.boolean().describe("Whether backups are made. Turning them off deletes every backup of the instance."),
    schedule: schedule.describe("When they are made; the cloud chooses if not given.").optional(),
  }),
  {
    cel: "self.enabled || !has(self.schedule)",
    check: ({ enabled, schedule: when }) => enabled || when === undefined,
    message: "schedule may be given only where enabled is true",
  },
).describe("Backups, which cost extra; not changed if not given.");

const threshold = (description: string) =>
  z
    .int()
    .min(0)
    .max(1_000_000)
    .describe(`${description}, on average over two hours; 0 turns the alert off.`)
    .optional();

const alerts = z
  .object({
    cpu: threshold("Percent of CPU, where each core counts as 100"),
    io: threshold("Disk operations per second"),
    networkIn: threshold("Incoming traffic in Mbit/s"),
    networkOut: threshold("Outgoing traffic in Mbit/s"),
    transferQuota: threshold("Percent of the monthly transfer used"),
  })
  .describe("The cloud sends mail above these figures; those not given are not changed.");

const fields = z.object({
  label: strictLabel(64).optional(),
  region: from("Region", z.string().min(1).max(64)).describe(
    "Region, such as us-east. A change migrates the instance: see allowDisruption.",
  ),
  type: from("ComputeType", z.string().min(1).max(64)).describe(
    "Size of the instance, such as g6-standard-1. A change resizes it: see allowDisruption.",
  ),
  image: from("Image", identifier(z.string().min(1).max(128)))
    .describe(
      "Image to deploy, such as compute/debian12; without one the instance stays off until it has disks. A change rebuilds it, and all its data is lost: see allowDisruption.",
    )
    .optional(),
  source: immutable(source).optional(),
  ...deployedImage,
  userDataSecretRef: secretKeyReference(
    "User data for cloud-init, plain or gzip; needs an image, also that of an instance that is cloned, and a region that know it.",
    "user-data",
  ).optional(),
  swapSizeMB: immutable(
    z
      .int()
      .min(0)
      .max(1_048_576)
      .describe("Size of the swap disk in MB, 512 if not given; needs an image. Cannot be changed."),
    { absent: 512 },
  ).optional(),
  privateIP: immutable(z.boolean().describe("Whether it gets a private IPv4 address at creation. Cannot be changed."), {
    absent: false,
  }).optional(),
  interfaces: interfaceList.optional(),
  backups: backups.optional(),
  alerts: alerts.optional(),
  watchdogEnabled: z
    .boolean()
    .describe("Whether the cloud boots the instance again after an unexpected shutdown; on for a new one if not given.")
    .optional(),
  tags: tags.optional(),
  powerState: z
    .enum(["Running", "Offline"])
    .describe("Whether it runs; not changed if not given, so that it may be shut down from inside or elsewhere.")
    .optional(),
  allowDisruption: setOf(z.enum(["Resize", "Migrate", "Rebuild", "Restart"]), 4)
    .describe(
      "What a change of type, region or image may do: Resize and Migrate stop the instance for a while, Rebuild deletes all its data. Restart: a change of interfaces, or of the only ComputeConfig, restarts an instance that runs.",
    )
    .optional(),
  allowAutoDiskResize: z.boolean().describe("Whether the disk follows a change of type; yes if not given.").optional(),
  reportAttachments: z
    .boolean()
    .describe(
      "Whether status shows attached volumes and NodeBalancers, which takes two more requests for each reconcile; not if not given.",
    )
    .optional(),
});

const withoutBoth = rule(fields, {
  cel: "!has(self.source) || !has(self.image)",
  check: ({ source: from, image }) => from === undefined || image === undefined,
  message: "at most one of image and source may be given",
  fieldPath: ".source",
});

const checked = rule(needsImage(withoutBoth, ["swapSizeMB"]), {
  cel: "!has(self.userDataSecretRef) || has(self.image) || has(self.source) && has(self.source.clone)",
  check: (spec) => spec.userDataSecretRef === undefined || spec.image !== undefined || spec.source?.clone !== undefined,
  message: "userDataSecretRef may be given only with an image or with source.clone",
});

/** The prefix of a public image may be the word of the cloud API or of its documents; the controller knows which words mean the same. */
const sameImage =
  "(self.spec.image == oldSelf.spec.image || [self.spec.image, oldSelf.spec.image].all(one, one.contains('/') && !one.startsWith('private/')) && self.spec.image.split('/')[1] == oldSelf.spec.image.split('/')[1])";

const sameOrNone = `(has(self.spec.image) && has(oldSelf.spec.image) ? ${sameImage} : !has(oldSelf.spec.image) && !has(self.spec.image))`;

/** What a change of these fields does, in the order in which one follows another. */
export const disruptions = [
  { field: "region", permission: "Migrate", does: "moves the instance, which stops it for a while" },
  { field: "type", permission: "Resize", does: "resizes the instance, which stops it for a while" },
  { field: "image", permission: "Rebuild", does: "rebuilds the instance, and all its data is lost" },
] as const;

/** Over the whole object: to ask for what is there already, which the status shows, disrupts nothing. */
export const disruptionRules: AdmissionRule[] = disruptions.map(({ field, permission, does }) => ({
  cel: [
    field === "image" ? sameOrNone : `self.spec.${field} == oldSelf.spec.${field}`,
    `has(self.spec.allowDisruption) && '${permission}' in self.spec.allowDisruption`,
    `has(self.spec.${field}) && has(self.status) && has(self.status.${field}) && self.spec.${field} == self.status.${field}`,
  ].join(" || "),
  message: `a change of ${field} ${does}. To allow it, add ${permission} to spec.allowDisruption`,
  fieldPath: `.spec.${field}`,
}));

export const instanceSpec = transitionRule(checked, {
  cel: "has(self.image) || !has(oldSelf.image)",
  message: "image cannot be removed: an instance is rebuilt from another image, or deleted",
});

export type InstanceSpec = z.output<typeof instanceSpec>;
