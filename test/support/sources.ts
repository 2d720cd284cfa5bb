import { globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";

/** Root of the repository. */
export const root = join(import.meta.dirname, "..", "..");

export interface Import {
  /** Path from the root, or the package's name. */
  target: string;
  /** Room of src/ that the target is in; undefined for packages. */
  room: string | undefined;
  /** Just types come in, so nothing of it runs. */
  typeOnly: boolean;
}

/** A TypeScript file with what the architecture rules ask about. */
export interface Source {
  path: string;
  /** Folder below src/, or the file's own name for files directly in it; undefined outside of src/. */
  room: string | undefined;
  text: string;
  /** The text without comments. */
  code: string;
  imports: Import[];
}

/** Every TypeScript file below these folders of the repository. */
export function sourcesOf(...folders: string[]): Source[] {
  return filesOf(...folders.map((folder) => `${folder}/**/*.ts`)).map(({ path, text }) => {
    const code = withoutComments(text);
    return { path, room: roomOf(path), text, code, imports: importsOf(path, code) };
  });
}

/** Every text file that matches, with its path from the root. */
export function filesOf(...patterns: string[]): { path: string; text: string }[] {
  const exclude = ["node_modules/**", "**/node_modules/**", "dist/**", ".git/**"];
  const paths = globSync(patterns, { cwd: root, exclude, withFileTypes: true }).filter((entry) => entry.isFile());
  return paths
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }));
}

function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)/.exec(path)?.[1];
}

const statement = /^(?:import|export)\s+(?:(type)\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm;
const dynamic = /\bimport\("([^"]+)"\)/g;

function importsOf(path: string, code: string): Import[] {
  const named = [...code.matchAll(statement)].map(([, type, name = ""]) => ({ name, typeOnly: type !== undefined }));
  const late = [...code.matchAll(dynamic)].map(([, name = ""]) => ({ name, typeOnly: false }));
  return [...named, ...late].map(({ name, typeOnly }) => {
    const target = name.startsWith(".") ? join(dirname(path), name) : packageOf(name);
    return { target, room: name.startsWith(".") ? roomOf(target) : undefined, typeOnly };
  });
}

function packageOf(name: string): string {
  if (name.startsWith("node:") || builtinModules.includes(name)) return name;
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
}
