/**
 * Adds to package-lock.json the platform packages that the registry in use does not carry.
 *
 * npm writes no entry for an optional package that a mirror lacks, and `npm ci` then refuses the whole lock file, on
 * every machine. Name and version are known from the package that wants them, so the entry is made from those; it has
 * no checksum, and nothing is fetched for it except on its own platform. Run it after a dependency changed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

interface Entry {
  version: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const processors = ["arm64", "arm", "x64", "ia32", "ppc64", "riscv64", "s390x"];

const { positionals } = parseArgs({ allowPositionals: true });
const path = positionals[0] ?? "package-lock.json";
const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Entry> };
const missing = Object.entries(lock.packages).flatMap(([from, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !resolves(from, name))
    .map(([name, version]) => ({ name, entry: platformEntry(name, version, entry.dev === true) })),
);
for (const { name, entry } of missing) lock.packages[`node_modules/${name}`] = entry;
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: false })),
);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length} platform packages added to ${path}`);

/** Node's lookup: beside the package that asks, then in each folder above. */
function resolves(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    if (`${folder === "" ? "" : `${folder}/`}node_modules/${name}` in lock.packages) return true;
    if (folder === "") return false;
  }
}

function platformEntry(name: string, version: string, dev: boolean): Entry {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined || !/^\d/.test(version)) {
    throw new Error(`${name}@${version}: not a platform package, add it with npm install`);
  }
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : "glibc";
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(os === "linux" && words.some((word) => /^(gnu|musl)/.test(word)) ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  };
}
