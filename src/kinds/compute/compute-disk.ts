import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { Readiness } from "../../core/kind/call.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import type { References } from "../../core/kind/reference.ts";
import { from, identifier, immutable, referenceTo } from "../../core/kind/schema.ts";
import { labelField, nameFits } from "../label.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { inStatus, whole } from "../wire.ts";
import {
  deployedImage,
  deploymentFields,
  generatedPassword,
  imageReferences,
  needsImage,
  passwordNameFits,
} from "./deployed-image.ts";
import { diskExamples } from "./disk-examples.ts";
import { optionalText } from "../text.ts";

const diskSpec = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance")),
  label: asValue(z.string().min(1).max(48))
    .describe("Label in the API. Defaults to the name of the object.")
    .optional(),
  sizeMB: z
    .int()
    .min(1)
    .max(16_777_216)
    .describe("Size in MB. A change resizes the disk. During the resize, the instance must not use the disk."),
  filesystem: z
    .enum(["raw", "swap", "ext3", "ext4", "initrd"])
    .describe("File system. Defaults to the file system of the image, or to ext4 without an image.")
    .optional(),
  image: immutable(
    from("Image", identifier(z.string().min(1).max(128))).describe(
      "Image to deploy to the disk, such as compute/debian12. If absent, the disk is empty. Cannot be changed.",
    ),
  ).optional(),
  ...deployedImage,
});

const diskReferences = {
  instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true },
  ...imageReferences,
} satisfies References<z.output<typeof diskSpec>>;

/** Disks of an instance: part 2, sections 2.6 and 4.4; not-shown, section 3. */
export const computeDisk = defineOwned({
  kind: "ComputeDisk",
  plural: "computedisks",
  shortNames: ["cpdisk"],
  noun: "disk",
  doc: "A disk of a ComputeInstance, empty or with an image. If the instance deploys an image itself, the cloud creates the disks.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Size MB", jsonPath: ".status.sizeMB", type: "integer" },
    { name: "State", jsonPath: ".status.state" },
    { name: "ID", jsonPath: ".status.id" },
    { name: "Password Secret", jsonPath: ".status.rootPasswordSecretName", priority: 1 },
  ],
  spec: needsImage(diskSpec),
  status: z.object({
    state: optionalText(32, "State in the API's words, such as ready."),
    sizeMB: z.int().describe("Present capacity of the disk.").optional(),
    created: optionalTime("Creation time in the cloud."),
    rootPasswordSecretName: optionalText(253, "Name of the Secret with the root password of the deployed image."),
  }),
  wire: z.object({
    id: whole(),
    label: z.string(),
    size: whole(),
    filesystem: z.string().nullish(),
    status: z.string(),
    created: z.string().nullish(),
  }),
  admission: [nameFits({ min: 1, max: 48 }), passwordNameFits],
  references: diskReferences,
  reach: "own",
  listPath: ({ refs }) => `/compute/instances/${refs.instanceRef.id}/disks`,
  fields: {
    label: labelField,
    size: {
      specField: "sizeMB",
      desired: ({ spec }) => spec.sizeMB,
      observed: (wire) => wire.size,
      fixed: true,
      disrupts: true,
    },
    filesystem: { desired: ({ spec }) => spec.filesystem, observed: (wire) => wire.filesystem },
    image: { desired: ({ spec }) => spec.image, on: "create" },
    ...deploymentFields,
  },
  unique: "none",
  createdField: "created",
  ready: ({ wire }) => readiness(wire.status),
  steps: {
    // Only a change of the spec resizes the disk. The operator reports a size that another user set, and does not undo it.
    size: {
      reach: "own",
      concerns: "data",
      specFields: ["sizeMB"],
      calls: ({ spec, wire, refs, id, applied }) =>
        spec.sizeMB === wire.size || applied === undefined || applied["size"] === String(spec.sizeMB)
          ? []
          : [
              {
                method: "POST",
                path: `/compute/instances/${refs.instanceRef.id}/disks/${id}/resize`,
                body: { size: spec.sizeMB },
                action: "Resize",
                note: `sizeMB: ${wire.size} → ${spec.sizeMB}`,
                changes: [{ field: "sizeMB", observed: wire.size, desired: spec.sizeMB }],
                // After the cloud API accepts the request, the operator waits until the row shows the size.
                destructive: true,
                applies: { size: String(spec.sizeMB) },
              },
            ],
    },
  },
  report: ({ wire, spec, name, adopted, reported }) => {
    const secret = spec.rootPasswordSecretRef ?? (adopted ? undefined : generatedPassword(spec, name));
    // The cloud deploys the image once. A later reference has no effect.
    const deployed = (reported() as { rootPasswordSecretName?: string }).rootPasswordSecretName ?? secret?.name;
    return {
      state: wire.status,
      sizeMB: wire.size,
      created: rfc3339(wire.created),
      ...(deployed !== undefined && { rootPasswordSecretName: deployed }),
    };
  },
  holdsData: true,
  loses: "the disk with its data",
  examples: diskExamples,
});

function readiness(status: string): Readiness {
  if (status === "ready") return { ready: true };
  if (status === "deleting")
    return { ready: false, reason: "Deleting", message: "the disk is being deleted", busy: true };
  if (status === "not ready")
    return { ready: false, reason: "Provisioning", message: "the disk is being prepared", busy: true };
  return { ...inStatus(status), busy: true };
}
