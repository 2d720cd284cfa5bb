import * as z from "zod";
import { defineMirror } from "../../core/kind/mirror.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { optionalText } from "../text.ts";

/** Kernels: part 2, sections 2.7 and 4.6. */
export const kernel = defineMirror({
  kind: "Kernel",
  plural: "kernels",
  shortNames: ["cpkernels", "cpkernel"],
  doc: "A kernel that can boot an instance. `status.id` contains the identifier in the cloud API.",
  columns: [
    { name: "ID", jsonPath: ".status.id" },
    { name: "Version", jsonPath: ".status.version" },
    { name: "Architecture", jsonPath: ".status.cpuArchitecture" },
    { name: "Deprecated", jsonPath: ".status.deprecated", type: "boolean" },
    { name: "Label", jsonPath: ".status.label", priority: 1 },
    { name: "Created", jsonPath: ".status.created", type: "date", priority: 1 },
  ],
  status: z.object({
    label: optionalText(128, "Display name of the kernel."),
    version: optionalText(64, "Version of Linux."),
    cpuArchitecture: optionalText(32, "Architecture: x86_64 or i386."),
    created: optionalTime("Build time."),
    deprecated: z
      .boolean()
      .describe("Whether the kernel is deprecated. Choose a newer kernel for new instances.")
      .optional(),
    kvm: z.boolean().describe("Whether the kernel runs on KVM.").optional(),
    pvops: z.boolean().describe("Whether the kernel is paravirtualized.").optional(),
  }),
  path: "/compute/kernels",
  wire: z.object({
    id: z.string(),
    label: z.string().nullish(),
    version: z.string().nullish(),
    architecture: z.string().nullish(),
    built: z.string().nullish(),
    deprecated: z.boolean().nullish(),
    kvm: z.boolean().nullish(),
    pvops: z.boolean().nullish(),
  }),
  report: ({ label, version, architecture, built, deprecated, kvm, pvops }) => ({
    label: label ?? undefined,
    version: version ?? undefined,
    cpuArchitecture: architecture ?? undefined,
    created: rfc3339(built),
    deprecated: deprecated ?? undefined,
    kvm: kvm ?? undefined,
    pvops: pvops ?? undefined,
  }),
  example: {
    id: "compute/6.9.7-x86_64",
    label: "6.9.7-x86_64",
    version: "6.9.7",
    architecture: "x86_64",
    built: "2024-07-01T00:00:00",
    deprecated: false,
    kvm: true,
    pvops: true,
  },
});
