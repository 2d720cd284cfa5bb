/** The objects of the operator's group in manifests. */
import { group } from "../../core/kind/resource.ts";
import { Failure } from "../failure.ts";
import type { ReadManifest } from "../manifest-files.ts";

export interface FileObject {
  kind: string;
  name: string;
  namespace: string | undefined;
  spec: Record<string, unknown>;
  file: string;
}

/** Returns the objects of the operator's group in order. Throws `Failure` without such an object. */
export function fileObjects(manifests: readonly ReadManifest[], paths: readonly string[]): FileObject[] {
  const found = manifests.flatMap(objectIn);
  if (found.length === 0)
    throw new Failure(`${paths.join(", ")}: no file has an object of ${group}. Name files or folders with -f`);
  return found;
}

interface Fields {
  apiVersion?: unknown;
  kind?: unknown;
  metadata?: { name?: unknown; namespace?: unknown } | null;
  spec?: Record<string, unknown>;
}

function objectIn({ file, line, object }: ReadManifest): FileObject[] {
  const { apiVersion, kind, metadata, spec = {} } = object as Fields;
  if (typeof apiVersion !== "string" || !apiVersion.startsWith(`${group}/`)) return [];
  if (typeof kind !== "string" || typeof metadata?.name !== "string")
    throw new Failure(`${file}:${line}: an object of ${group} has no kind or no metadata.name. Correct the file`);
  const { name, namespace } = metadata;
  return [{ kind, name, namespace: typeof namespace === "string" ? namespace : undefined, spec, file }];
}
