/**
 * Reads manifests from files, folders and the standard input. A file can contain a Secret, so errors name the file and the line, and
 * never quote the content.
 */
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { LineCounter, parseAllDocuments, visit } from "yaml";
import type { Document } from "yaml";
import { group } from "../core/kind/resource.ts";
import type { Manifest } from "../twin/apply.ts";
import { Failure } from "./failure.ts";

export interface ReadManifest extends Manifest {
  /** Line of the document in the file. */
  line: number;
}

/** Reads all documents, in the order of the paths and of the names of files. Throws `Failure` with the file and the line. */
export async function readManifests(paths: readonly string[]): Promise<ReadManifest[]> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const read = await Promise.all(files.map(async (file) => documentsIn(file, await textOf(file))));
  return read.flat();
}

async function filesAt(path: string): Promise<string[]> {
  if (path === "-" || !(await isFolder(path))) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(refuse(path));
  const named = entries.filter((entry) => /\.(ya?ml|json)$/.test(entry.name) && !entry.isDirectory());
  const files = named.map((entry) => ({ file: join(entry.parentPath, entry.name), isLink: entry.isSymbolicLink() }));
  // A link to a folder is not followed, as kubectl does not follow it.
  const kept = await Promise.all(
    files.map(async ({ file, isLink }) => (isLink && (await isFolder(file)) ? [] : [file])),
  );
  return kept.flat().toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(refuse(path))).isDirectory();
}

/** `/dev/stdin` is the standard input of a pipe. */
function textOf(file: string): Promise<string> {
  return readFile(file === "-" ? "/dev/stdin" : file, "utf8").catch(refuse(file));
}

function refuse(path: string): (error: NodeJS.ErrnoException) => never {
  return ({ code = "error" }) => {
    throw new Failure(`${path} cannot be read (${code}). Correct -f`);
  };
}

function documentsIn(file: string, text: string): ReadManifest[] {
  const lines = new LineCounter();
  // A warning of the parser quotes keys of the file.
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  return [...documents].flatMap((document) => {
    const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
    const [error] = document.errors;
    if (error) throw invalid(file, lineAt(error.pos[0]), error.code);
    const line = lineAt(document.contents?.range?.[0] ?? 0);
    return objectsIn(
      { file, line },
      valueOf(document, (offset, why) => invalid(file, lineAt(offset), why)),
    );
  });
}

function invalid(file: string, line: number, why: string): Failure {
  return new Failure(`${file}:${line} is not valid YAML (${why}). Correct the file`);
}

/** The messages of the library quote the name of an alias. */
function valueOf(document: Document, failure: (offset: number, why: string) => Failure): unknown {
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document)) throw failure(alias.range?.[0] ?? 0, "an alias without an anchor");
    },
  });
  try {
    return document.toJS() as unknown;
  } catch {
    throw failure(document.range?.[0] ?? 0, "a document that cannot be read");
  }
}

/** A `List` contains objects. */
function objectsIn(place: Omit<ReadManifest, "object">, value: unknown): ReadManifest[] {
  const at = `${place.file}:${place.line}`;
  if (value === null || value === undefined) return [];
  if (!isMap(value)) throw new Failure(`${at} is no object. Remove the document`);
  const { apiVersion, kind, items } = value;
  if (kind === "List" && Array.isArray(items)) return items.flatMap((one) => objectsIn(place, one));
  const isOwn = typeof apiVersion === "string" && apiVersion.startsWith(`${group}/`);
  if (isOwn && "spec" in value && !isMap(value["spec"]))
    throw new Failure(`${at} has a spec that is no object. Write its fields, or remove spec`);
  return [{ ...place, object: value }];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
