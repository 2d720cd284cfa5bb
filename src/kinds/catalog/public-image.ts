import * as z from "zod";
import { defineMirror } from "../../core/kind/mirror.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { optionalText } from "../text.ts";

/** Public images: part 2, section 4.7; not-shown, section 3. Without a token, the list contains only public images. */
export const publicImage = defineMirror({
  kind: "PublicImage",
  plural: "publicimages",
  shortNames: ["cpimages", "cpimage"],
  doc: "A public image for new instances, such as a Linux distribution. Use `status.id` as `spec.image` of other kinds.",
  columns: [
    { name: "ID", jsonPath: ".status.id" },
    { name: "Label", jsonPath: ".status.label" },
    { name: "Size MB", jsonPath: ".status.sizeMB", type: "integer" },
    { name: "Deprecated", jsonPath: ".status.deprecated", type: "boolean" },
    { name: "Vendor", jsonPath: ".status.vendor", priority: 1 },
    { name: "Cloud-init", jsonPath: ".status.readsUserData", type: "boolean", priority: 1 },
    { name: "End of life", jsonPath: ".status.endOfLife", priority: 1 },
  ],
  status: z.object({
    label: optionalText(128, "Display name of the image."),
    vendor: optionalText(64, "Publisher of the distribution."),
    sizeMB: z.int().describe("Smallest size of a disk with the image, in MB.").optional(),
    deprecated: z
      .boolean()
      .describe("Whether the image is deprecated. Choose a newer image for new instances.")
      .optional(),
    endOfLife: optionalTime("End of the support by the publisher."),
    readsUserData: z.boolean().describe("Whether instances with the image read user data.").optional(),
  }),
  path: "/images",
  wire: z.object({
    id: z.string(),
    label: z.string().nullish(),
    vendor: z.string().nullish(),
    size: z.int().nullish(),
    deprecated: z.boolean().nullish(),
    eol: z.string().nullish(),
    capabilities: z.array(z.string()).nullish(),
  }),
  report: ({ label, vendor, size, deprecated, eol, capabilities }) => ({
    label: label ?? undefined,
    vendor: vendor ?? undefined,
    sizeMB: size ?? undefined,
    deprecated: deprecated ?? undefined,
    endOfLife: rfc3339(eol),
    readsUserData: capabilities?.includes("cloud-init"),
  }),
  example: {
    id: "compute/debian12",
    label: "Debian 12",
    vendor: "Debian",
    size: 1500,
    deprecated: false,
    eol: "2028-06-30T04:00:00",
    capabilities: ["cloud-init"],
  },
});
