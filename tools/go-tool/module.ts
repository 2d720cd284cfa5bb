import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run/places.ts";

/** Folder of a Go module of tools/. */
export function moduleFolder(module: string): string {
  return join(root, "tools", module);
}

/** The version of a dependency that a module of tools/ pins, for example `v1.36.3`. */
export function pinnedVersion(module: string, dependency: string): string {
  const lines = readFileSync(join(moduleFolder(module), "go.mod"), "utf8").split("\n");
  const words = lines.map((line) => line.replace("require ", "").trim().split(" "));
  const version = words.find(([name]) => name === dependency)?.[1];
  if (version === undefined) throw new Error(`tools/${module}/go.mod does not pin ${dependency}`);
  return version;
}

/** The same for the same sources: programs, dependencies and their checksums. */
export function moduleHash(module: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(moduleFolder(module)).filter((name) => /^go\.(mod|sum)$|(?<!_test)\.go$/.test(name));
  for (const name of names.toSorted()) hash.update(readFileSync(join(moduleFolder(module), name)));
  return hash.digest("hex").slice(0, 12);
}
