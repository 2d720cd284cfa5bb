/** Names of a cloud object to adopt. */
import type { Kind } from "../../../src/core/kind/owned.ts";
import type { Field } from "./fields.ts";
import type { Spec } from "./paths.ts";

/** Returns `spec.management.adopt` for the field of a cell. The adoption changes the cloud object without a question. */
export function adoptionOf({ kind, path }: Field, id: string, spec: Spec): object {
  const chosen = path.includes("filter") ? { filter: keyOf(kind, spec) ?? fieldWith(kind, id) } : { id };
  return { ...chosen, overwrite: true };
}

/** Returns the natural key of a row, without values that depend on further objects. */
function keyOf({ fields }: Kind, spec: Spec): Record<string, string> | undefined {
  const values = Object.entries(fields).flatMap(([field, { key, desired: want }]) => {
    const value = key ? want({ spec, name: "subject", namespace: "", refs: {} }) : undefined;
    return typeof value === "string" || typeof value === "boolean" ? [[field, String(value)] as const] : [];
  });
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/** Returns a field of rows that accepts the ID. */
function fieldWith({ wire, identify = ({ id }) => String(id) }: Kind, id: string): Record<string, string> {
  const names = Object.keys(wire.shape);
  const name = names.find((one) => identify({ [one]: id }) === id);
  return { [name ?? "id"]: id };
}
