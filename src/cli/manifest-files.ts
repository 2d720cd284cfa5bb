/** Reads manifests from files, folders and the standard input. */
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../twin/apply.ts";
import { Failure } from "./failure.ts";

/** Reads all documents, in the order of the paths and of the names of files. Throws `Failure` with the file and the line. */
export async function readManifests(paths: readonly string[]): Promise<Manifest[]> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const read = await Promise.all(files.map(async (file) => documentsIn(file, await textOf(file))));
  return read.flat();
}

async function filesAt(path: string): Promise<string[]> {
  if (path === "-") return [path];
  const found = await stat(path).catch(({ code = "error" }: NodeJS.ErrnoException) => {
    throw new Failure(`-f: ${path} cannot be read (${code}). Give a file or a folder with manifests`);
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

/** `/dev/stdin` is the standard input of a pipe. */
function textOf(file: string): Promise<string> {
  return readFile(file === "-" ? "/dev/stdin" : file, "utf8");
}

function documentsIn(file: string, text: string): Manifest[] {
  const documents = parseAllDocuments(text);
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new Failure(`-f: ${file} is not valid YAML: ${error.message.split("\n")[0]}. Correct the file`);
    return objectsIn(file, document.toJS() as unknown);
  });
}

/** A `List` contains objects. */
function objectsIn(file: string, value: unknown): Manifest[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object" || Array.isArray(value))
    throw new Failure(`-f: ${file} contains a document that is no object. Remove the document`);
  const object = value as Record<string, unknown>;
  const { items } = object;
  if (object["kind"] === "List" && Array.isArray(items)) return items.flatMap((one) => objectsIn(file, one));
  return [{ file, object }];
}
