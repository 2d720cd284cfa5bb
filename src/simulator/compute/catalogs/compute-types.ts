/*
 * What instances are made of and started with: types, kernels and deployment scripts.
 * Guarantees: the same rows for all accounts.
 * Imports server/ and catalog; other rooms of compute import it.
 */
import { catalogOperations } from "../../catalog/catalog-operations.ts";
import { invalid } from "../../server/errors.ts";
import { SHARED } from "../../server/store/store.ts";
import type { World } from "../../server/world.ts";
import { COMPUTE_TYPES } from "./tables.ts";
import type { ComputeTypeRow } from "./tables.ts";

/** Plans with their sizes and prices (not-shown section 3). */
export const computeTypeOperations = catalogOperations({
  table: COMPUTE_TYPES,
  path: "/compute/types",
  param: "typeId",
  kind: "text",
  noun: "type",
  filterable: ["label", "class", "disk", "memory", "vcpus", "gpus", "transfer", "network_out"],
  present: (row, { brand }) => ({ ...row, label: row.label.replace("Compute", brand.title) }),
});

/** The type a field names, or 400. */
export function typeNamed(world: World, id: string, field = "type"): Readonly<ComputeTypeRow> {
  const type = world.store.get(COMPUTE_TYPES, SHARED, id);
  if (!type) throw invalid(field, "A valid plan type by that ID was not found");
  return type;
}
