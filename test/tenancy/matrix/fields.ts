/** Fields of specs that decide what a tenant may use, by the classes of their leaves. */
import type { CloudName } from "../../../src/core/kind/leaf-class.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { reachOf } from "../../../src/core/kind/reach.ts";
import { tenancyOf } from "../../../src/core/model/tenancy.ts";
import { kinds } from "../../../src/kinds/registry.ts";

export type Field = { kind: Kind; path: string } &
  /** The name of a cloud object. */
  (
    | { is: "name"; name: CloudName }
    /** The name of the cloud object to adopt. */
    | { is: "adoption" }
    /** The name of a Secret or ConfigMap. */
    | { is: "secret"; of: "Secret" | "ConfigMap"; use: "reads" | "publishes" }
    /** The kind has a reach beyond `own`. The path is empty. */
    | { is: "reach" }
  );

/** Returns every field of a kind that the matrix covers. */
export function fieldsOf(kind: Kind): Field[] {
  const { leaves, reach } = tenancyOf(kind);
  const found = leaves.flatMap(({ path, leaf }): Field[] => {
    if (leaf?.is === "cloudName" && leaf.of === "itself") return [{ kind, path, is: "adoption" }];
    if (leaf?.is === "cloudName") return [{ kind, path, is: "name", name: leaf }];
    if (leaf?.is === "secret") return [{ kind, path, is: "secret", of: "Secret", use: leaf.use }];
    return leaf?.is === "configMap" ? [{ kind, path, is: "secret", of: "ConfigMap", use: leaf.use }] : [];
  });
  return reach === "own" ? found : [...found, { kind, path: "", is: "reach" }];
}

export const allFields: Field[] = kinds.flatMap(fieldsOf);

/** Returns true if an object with this spec has a reach beyond its own cloud object. */
export function reachesFurther(kind: Kind, spec: Record<string, unknown>): boolean {
  return reachOf(kind, spec).reach !== "own";
}

/** Returns true if the kind can adopt a cloud object. */
export function canAdopt(kind: Kind): boolean {
  return tenancyOf(kind).leaves.some(({ path }) => path === "management.adopt.id");
}
