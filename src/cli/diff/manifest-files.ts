/** Manifests in files: YAML or JSON, single files and folders. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { group } from "../../core/kind/resource.ts";
import { Failure } from "../failure.ts";

export interface FileObject {
  kind: string;
  name: string;
  namespace: string | undefined;
  spec: Record<string, unknown>;
  file: string;
}

/** Returns the objects of the operator's group in the files, in order. Throws `Failure` for an unreadable file. */
export async function readManifests(paths: readonly string[]): Promise<FileObject[]> {
  const found: FileObject[] = [];
  for (const path of paths) for (const file of await filesAt(path)) found.push(...(await objectsIn(file)));
  if (found.length === 0)
    throw new Failure(`${paths.join(", ")}: no file has an object of ${group}. Name files or folders with -f`);
  return found;
}

async function filesAt(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && /[.](ya?ml|json)$/.test(entry.name));
    return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  } catch (error) {
    throw new Failure(`${path} cannot be read (${codeOf(error)}). Correct -f`, { cause: error });
  }
}

async function objectsIn(file: string): Promise<FileObject[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new Failure(`${file} cannot be read (${codeOf(error)}). Correct -f`, { cause: error });
  });
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors;
    // The message of the parser quotes the file, which can contain a Secret.
    if (problem)
      throw new Failure(`${file} is not valid YAML: ${problem.code} at offset ${problem.pos[0]}. Correct the file`);
    return flat(document.toJS()).flatMap((one) => objectIn(one, file));
  });
}

function flat(value: unknown): unknown[] {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  return kind === "List" && Array.isArray(items) ? items : [value];
}

function objectIn(value: unknown, file: string): FileObject[] {
  const {
    apiVersion,
    kind,
    metadata,
    spec = {},
  } = (value ?? {}) as {
    apiVersion?: unknown;
    kind?: unknown;
    metadata?: { name?: unknown; namespace?: unknown };
    spec?: Record<string, unknown>;
  };
  if (typeof apiVersion !== "string" || !apiVersion.startsWith(`${group}/`)) return [];
  if (typeof kind !== "string" || typeof metadata?.name !== "string")
    throw new Failure(`${file}: an object of ${group} has no kind or no metadata.name. Correct the file`);
  const { name, namespace } = metadata;
  return [{ kind, name, namespace: typeof namespace === "string" ? namespace : undefined, spec, file }];
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "error";
}
