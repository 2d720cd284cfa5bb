/** What the areas of the simulator hand to its server, found where it is: every file of `src/simulator/<area>`, told by its shape. */
import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The lists of the registry. */
export type Role = "operation" | "jobKind" | "indexedTable" | "seed" | "mount" | "control";

export interface Contribution {
  /** Path below `src/simulator`, for example `networking/firewalls/firewalls.ts`. */
  file: string;
  exportName: string;
  role: Role;
  /** An array of them. */
  several: boolean;
  /** What each of them is called; no two of a role share a name. */
  names: string[];
}

export interface LoadedAreas {
  /** In the order of their files. */
  contributions: Contribution[];
  /** Files that cannot be loaded, and what two files hand over. */
  problems: string[];
}

/** All areas of the simulator's folder. A file that exports nothing of a known shape holds parts of others. */
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

/** The first segment of a file's path. */
export function areaOf(file: string): string {
  return file.split("/")[0] ?? file;
}

type Members = Readonly<Record<string, unknown>>;

/** How a value of each role is told, and what it is called. */
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

/** What would be served twice, and names that the registry could not import together. */
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
