import { homedir } from "node:os";
import { join } from "node:path";

/** Root of the repository. */
export const root = join(import.meta.dirname, "..", "..");

const goNames: Partial<Record<string, string>> = { x64: "amd64", win32: "windows" };

/** This machine in Go's words. */
export const platform = {
  os: goNames[process.platform] ?? process.platform,
  arch: goNames[process.arch] ?? process.arch,
};

/** Where programs that were made or fetched are kept between runs, outside the tree. */
export function cacheRoot(environment: NodeJS.ProcessEnv): string {
  return join(environment["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "cloud-platform-operator");
}
