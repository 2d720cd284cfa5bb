/** Spec of an instance, with rules. Part 2, sections 2.1 to 2.5 and 4.1. */
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import { at, exactlyOneOf } from "../../core/kind/rules.ts";
import type { AdmissionRule } from "../../core/kind/schema.ts";
import {
  from,
  identifier,
  immutable,
  initially,
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
  ).describe(`Identifiers of the ${what} to copy. Defaults to all.`);

const source = exactlyOneOf(
  z.object({
    backup: referenceTo("ComputeSnapshot")
      .describe("Backup to restore: a ComputeSnapshot by name, or any backup by id.")
      .optional(),
    clone: z
      .object({
        instanceRef: referenceTo("ComputeInstance"),
        diskIDs: copiedParts("ComputeDisk", "disks", "disks").optional(),
        configIDs: copiedParts("ComputeConfig", "configs", "configuration profiles").optional(),
      })
      .describe("Instance to copy.")
      .optional(),
  }),
  ["backup", "clone"],
).describe("Backup or instance to copy from, instead of an image. Used only at creation. Cannot be changed.");

const schedule = z.object({
  day: z
    .enum(["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])
    .describe("Day of the weekly backup."),
  window: z
    .enum(["W0", "W2", "W4", "W6", "W8", "W10", "W12", "W14", "W16", "W18", "W20", "W22"])
    .describe("Two-hour window for the backups. W4 is 04:00 to 06:00 UTC."),
});

const backups = rule(
  z.object({
    enabled: z
      .boolean()
      .describe("Whether the cloud makes backups. Turning backups off deletes all backups of the instance."),
    schedule: schedule.describe("Time of the backups. If absent, the cloud chooses a time.").optional(),
  }),
  {
    cel: "self.enabled || !has(self.schedule)",
    check: ({ enabled, schedule: when }) => enabled || when === undefined,
    message: "schedule needs enabled: true. Remove schedule, or set enabled to true",
    ...at("schedule"),
  },
).describe("Automatic backups, at extra cost. If absent, the operator does not change the setting.");

const threshold = (description: string, initial: number) =>
  initially(
    initial,
    z
      .int()
      .min(0)
      .max(1_000_000)
      .describe(`Threshold: ${description}, averaged over two hours. 0 turns the alert off.`),
  ).optional();

const alerts = z
  .object({
    cpu: threshold("CPU use in percent, with 100 for each core", 90),
    io: threshold("Disk operations per second", 10_000),
    networkIn: threshold("Incoming traffic in Mbit/s", 10),
    networkOut: threshold("Outgoing traffic in Mbit/s", 10),
    transferQuota: threshold("Used transfer in percent of the monthly quota", 80),
  })
  .describe("Thresholds for alerts by email. The operator does not change an absent threshold.");

const fields = z.object({
  label: strictLabel(64).optional(),
  region: from("Region", z.string().min(1).max(64)).describe(
    "Region, such as us-east. A change migrates the instance, which stops for a while. Needs Migrate in allowDisruption.",
  ),
  type: from("ComputeType", z.string().min(1).max(64)).describe(
    "Size of the instance, such as g6-standard-1. A change resizes the instance, which stops for a while. Needs Resize in allowDisruption.",
  ),
  image: from("Image", identifier(z.string().min(1).max(128)))
    .describe(
      "Image to deploy, such as compute/debian12. Without an image, the instance stays off until it has disks. A change rebuilds the instance and deletes all data. Needs Rebuild in allowDisruption.",
    )
    .optional(),
  source: immutable(source).optional(),
  ...deployedImage,
  userDataSecretRef: secretKeyReference(
    "Secret with user data for cloud-init, plain or gzip. Needs an image, or a clone of an instance with an image. Image and region must support cloud-init.",
    "user-data",
  ).optional(),
  swapSizeMB: immutable(
    z
      .int()
      .min(0)
      .max(1_048_576)
      .describe("Size of the swap disk in MB. Defaults to 512. Needs an image. Cannot be changed."),
    { absent: 512 },
  ).optional(),
  privateIP: immutable(
    z
      .boolean()
      .describe("Whether the instance gets a private IPv4 address at creation. Defaults to false. Cannot be changed."),
    {
      absent: false,
    },
  ).optional(),
  interfaces: interfaceList.optional(),
  backups: initially({ enabled: false }, backups).optional(),
  alerts: alerts.optional(),
  watchdogEnabled: initially(
    true,
    z
      .boolean()
      .describe(
        "Whether the cloud boots the instance again after an unexpected shutdown. Defaults to true for a new instance.",
      ),
  ).optional(),
  tags: tags.optional(),
  powerState: initially(
    "Running",
    z
      .enum(["Running", "Offline"])
      .describe(
        "Desired power state. If absent, the operator does not change the power state, and you can shut the instance down from inside or with another tool.",
      ),
  ).optional(),
  allowDisruption: setOf(z.enum(["Resize", "Migrate", "Rebuild", "Restart"]), 4)
    .describe(
      "Permitted disruptions. Resize (change of type) and Migrate (change of region) stop the instance for a while. Rebuild (change of image) deletes all data. Restart restarts a running instance after a change of interfaces or of the only ComputeConfig.",
    )
    .optional(),
  allowAutoDiskResize: z
    .boolean()
    .describe("Whether a change of type also resizes the disk. Defaults to true.")
    .optional(),
  reportAttachments: z
    .boolean()
    .describe(
      "Whether status shows attached volumes and NodeBalancers, with two more requests for each reconcile. Defaults to false.",
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
  message: "spec.userDataSecretRef needs spec.image or spec.source.clone",
  ...at("userDataSecretRef"),
});

/** The prefix of a public image can be a word of the cloud API or of the documents. The controller treats both words as equal. */
const sameImage =
  "(self.spec.image == oldSelf.spec.image || [self.spec.image, oldSelf.spec.image].all(one, one.contains('/') && !one.startsWith('private/')) && self.spec.image.split('/')[1] == oldSelf.spec.image.split('/')[1])";

const sameOrNone = `(has(self.spec.image) && has(oldSelf.spec.image) ? ${sameImage} : !has(oldSelf.spec.image) && !has(self.spec.image))`;

/** Fields whose change is disruptive, in the order of execution. */
export const disruptions = [
  { field: "region", permission: "Migrate", does: "moves the instance, which stops it for a while" },
  { field: "type", permission: "Resize", does: "resizes the instance, which stops it for a while" },
  { field: "image", permission: "Rebuild", does: "rebuilds the instance, and all its data is lost" },
] as const;

/**
 * Rules over the whole object. A value that the status already shows needs no permission, because nothing changes. Without an ID, no
 * instance exists that a change could disrupt. If the instance is just being created, the operator asks for the permission. With
 * the policy Plan, the plan shows the missing permission, and the operator does not send the request.
 */
export const disruptionRules: AdmissionRule[] = disruptions.map(({ field, permission, does }) => ({
  cel: [
    field === "image" ? sameOrNone : `self.spec.${field} == oldSelf.spec.${field}`,
    "!has(self.status) || !has(self.status.id)",
    `has(self.spec.allowDisruption) && '${permission}' in self.spec.allowDisruption`,
    "has(self.spec.management) && has(self.spec.management.policy) && self.spec.management.policy == 'Plan'",
    `has(self.spec.${field}) && has(self.status) && has(self.status.${field}) && self.spec.${field} == self.status.${field}`,
  ].join(" || "),
  message: `a change of ${field} ${does}. To allow it, add ${permission} to spec.allowDisruption`,
  fieldPath: `.spec.${field}`,
}));

export const instanceSpec = transitionRule(checked, {
  cel: "has(self.image) || !has(oldSelf.image)",
  message: "image cannot be removed. Set another image to rebuild the instance, or delete the object",
});

export type InstanceSpec = z.output<typeof instanceSpec>;
