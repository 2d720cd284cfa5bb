/*
 * Serves types, kernels and deployment scripts for instances.
 * Guarantees: equal rows for all accounts.
 * Imports server/ and catalog. The rest of compute imports this folder.
 */
import { catalogOperations } from "../../catalog/catalog-operations.ts";
import { invalid } from "../../server/errors.ts";
import { SHARED } from "../../server/store/store.ts";
import type { World } from "../../server/world.ts";
import { COMPUTE_TYPES } from "./tables.ts";
import type { ComputeTypeRow } from "./tables.ts";

/** Serves types with sizes and prices (not-shown section 3). */
export const computeTypeOperations = catalogOperations({
  table: COMPUTE_TYPES,
  path: "/compute/types",
  param: "typeId",
  kind: "text",
  noun: "type",
  filterable: ["label", "class", "disk", "memory", "vcpus", "gpus", "transfer", "network_out"],
  present: (row, { brand }) => ({ ...row, label: row.label.replace("Compute", brand.title) }),
});

/** Returns the type with the ID. Throws 400 that names the field. */
export function typeNamed(world: World, id: string, field = "type"): Readonly<ComputeTypeRow> {
  const type = world.store.get(COMPUTE_TYPES, SHARED, id);
  if (!type) throw invalid(field, "A valid plan type by that ID was not found");
  return type;
}
