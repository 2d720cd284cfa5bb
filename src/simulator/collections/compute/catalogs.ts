import { KERNELS, COMPUTE_TYPES } from "../../tables/catalog.ts";
import { catalogOperations } from "../catalog/catalogs.ts";

/** Plans with their sizes and prices (not-shown section 3). */
export const computeTypeOperations = catalogOperations({
  table: COMPUTE_TYPES,
  path: "/compute/types",
  param: "typeId",
  kind: "text",
  noun: "type",
  filterable: ["label", "class", "disk", "memory", "vcpus", "gpus", "transfer", "network_out"],
  present: (row) => row,
});

/** Kernels to boot (part 2 section 4.6). */
export const kernelOperations = catalogOperations({
  table: KERNELS,
  path: "/compute/kernels",
  param: "kernelId",
  kind: "slug",
  noun: "kernel",
  filterable: ["label", "version", "kvm", "architecture", "pvops", "deprecated"],
  present: (row) => row,
});
