/** Finds the exports of the simulator's areas for its server, by shape, in `src/simulator/<area>`. */
import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The lists of the registry. */
export type Role = "operation" | "jobKind" | "indexedTable" | "seed" | "mount" | "control" | "load";

export interface Contribution {
  /** Path below `src/simulator`, for example `networking/firewalls/firewalls.ts`. */
  file: string;
  exportName: string;
  role: Role;
  /** The export is an array. */
  several: boolean;
  /** Names of the values, unique in a role. */
  names: string[];
}

export interface LoadedAreas {
  /** Sorted by file. */
  contributions: Contribution[];
  /** Files that fail to load, and values that two files export. */
  problems: string[];
}

/** Loads the areas of the simulator. A file without an export of a known shape is only a part of other files. */
export async function loadAreas(simulatorFolder: string): Promise<LoadedAreas> {
  const contributions: Contribution[] = [];
  const problems: string[] = [];
  for (const name of globSync("*/**/*.ts", { cwd: simulatorFolder, exclude: ["server/**"] }).sort()) {
    const file = name.replaceAll(path.sep, "/");
    try {
      contributions.push(...handedBy(file, await import(pathToFileURL(path.join(simulatorFolder, name)).href)));
    } catch (error) {
      problems.push(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { contributions, problems: [...problems, ...handedTwice(contributions)] };
}

/** Returns the first segment of a path. */
export function areaOf(file: string): string {
  return file.split("/")[0] ?? file;
}

type Members = Readonly<Record<string, unknown>>;

/** How to recognise and name a value of each role. */
const roles: Record<Role, { is: (value: Members) => boolean; name: (value: Members, file: string) => string }> = {
  operation: {
    is: ({ method, path: declared, handler }) => isText(method) && isText(declared) && isFunction(handler),
    name: (value) => `${String(value["method"])} ${String(value["path"])}`,
  },
  jobKind: { is: ({ name, run }) => isText(name) && isFunction(run), name: (value) => String(value["name"]) },
  indexedTable: {
    is: ({ name, key, indexes }) => isText(name) && isFunction(key) && isObject(indexes),
    name: (value) => String(value["name"]),
  },
  load: { is: ({ from, load }) => isText(from) && isFunction(load), name: (value) => String(value["from"]) },
  seed: { is: ({ seed }) => isFunction(seed), name: () => "" },
  mount: {
    is: ({ mount, operations }) => isFunction(mount) && Array.isArray(operations),
    name: (value) => String(value["operations"]),
  },
  control: { is: ({ verbs, routes }) => isFunction(verbs) && isFunction(routes), name: (_, file) => areaOf(file) },
};

function handedBy(file: string, exported: unknown): Contribution[] {
  return Object.entries(exported as Members).flatMap(([exportName, value]) => {
    const several = Array.isArray(value);
    const values: unknown[] = several ? value : [value];
    if (values.length === 0 || !values.every(isObject)) return [];
    const role = (Object.keys(roles) as Role[]).find((each) => values.every((one) => roles[each].is(one)));
    return role ? [{ file, exportName, role, several, names: values.map((one) => roles[role].name(one, file)) }] : [];
  });
}

/** Returns values that two files export, and names that the registry cannot import together. */
function handedTwice(contributions: Contribution[]): string[] {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  const claim = (what: string, owner: string): void => {
    const first = owners.get(what);
    if (first === undefined) owners.set(what, owner);
    else problems.push(`${what} is in ${first} and in ${owner}`);
  };
  for (const { file, exportName, role, names } of contributions) {
    claim(`the export ${exportName}`, file);
    for (const name of names.filter((each) => each !== "")) claim(`the ${role} ${name}`, `${file} (${exportName})`);
  }
  return problems;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
