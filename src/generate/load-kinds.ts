/** Finds the kinds in `src/kinds/<area>/*.ts`. The project has no handwritten list of kinds. */
import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Described } from "../core/kind/described.ts";

export interface LoadedKind {
  /** Path below `src/kinds`, for example `account/ssh-key.ts`. */
  file: string;
  exportName: string;
  kind: Described;
  /** The reconcile flow handles the kind: the API has a collection. */
  reconciled: boolean;
  /** Only the operator writes the kind, from a catalog of the API. */
  mirrored: boolean;
}

export interface LoadedKinds {
  /** Sorted by name. */
  kinds: LoadedKind[];
  /** Files that fail to load, and names that are malformed or taken. */
  problems: string[];
}

/** Loads the kinds of a folder. A file without a kind is only a part of other files. */
export async function loadKinds(kindsFolder: string): Promise<LoadedKinds> {
  const kinds: LoadedKind[] = [];
  const problems: string[] = [];
  for (const name of globSync("*/*.ts", { cwd: kindsFolder }).sort()) {
    const file = name.replaceAll(path.sep, "/");
    try {
      kinds.push(...kindsOf(file, await import(pathToFileURL(path.join(kindsFolder, name)).href)));
    } catch (error) {
      problems.push(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  kinds.sort((a, b) => (a.kind.kind < b.kind.kind ? -1 : 1));
  return { kinds, problems: [...problems, ...nameProblems(kinds)] };
}

function kindsOf(file: string, exported: unknown): LoadedKind[] {
  return Object.entries(exported as Record<string, unknown>).flatMap(([exportName, value]) =>
    isDescribed(value)
      ? [{ file, exportName, kind: value, reconciled: "listPath" in value, mirrored: isMirror(value) }]
      : [],
  );
}

function isDescribed(value: unknown): value is Described {
  const members = ["kind", "plural", "shortNames", "columns", "spec", "status", "examples"];
  return typeof value === "object" && value !== null && members.every((member) => member in value);
}

function isMirror(value: Described): boolean {
  return "shape" in value && value.shape === "mirror";
}

/** Returns the problems with the names of kinds. */
export function nameProblems(kinds: LoadedKind[]): string[] {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const { kind, file } of kinds) {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(kind.kind)) problems.push(`${file}: kind ${kind.kind} must be UpperCamelCase`);
    if (!/^[a-z][a-z0-9]*$/.test(kind.plural))
      problems.push(`${file}: plural ${kind.plural} must be lower case letters and digits`);
    for (const name of kind.shortNames.filter((short) => !/^cp[a-z0-9]+$/.test(short)))
      problems.push(`${file}: short name ${name} must begin with cp, the product's prefix`);
    for (const name of new Set([kind.kind.toLowerCase(), kind.plural, ...kind.shortNames])) {
      const owner = owners.get(name);
      if (owner !== undefined) problems.push(`${file}: the name ${name} is taken by ${owner}`);
      owners.set(name, file);
    }
  }
  return problems;
}
