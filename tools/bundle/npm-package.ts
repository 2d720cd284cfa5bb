/** An npm package with one bundle: it depends on nothing, and its first file names the Node that the bundle needs. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run/places.ts";
import { bundle, programs } from "./bundle.ts";

interface Package {
  name: string;
  description: string;
  /** File of the program in the package, such as `simulator.mjs`. */
  file: string;
  /** Names of the installed program. */
  bins: readonly string[];
  /** Flags of Node. */
  flags?: readonly string[];
  /** Guides in `docs`, by their names in the package. */
  guides: Readonly<Record<string, string>>;
}

/** Makes the package in `folder`. */
export async function npmPackage(
  folder: string,
  { name, description, file, bins, flags, guides }: Package,
): Promise<void> {
  const { version, license, type, engines } = manifestOfProject();
  await bundle(
    folder,
    programs.filter((one) => one.file === file),
  );
  rmSync(join(folder, `${file}.map`));
  const bin = Object.fromEntries(bins.map((program) => [program, "start.mjs"]));
  const own = { name, version, description, license, type, engines, bin };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
  writeFileSync(join(folder, "start.mjs"), startOf(name, file, flags), { mode: 0o755 });
  for (const [to, guide] of Object.entries(guides)) copyFileSync(join(root, "docs", guide), join(folder, to));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** Returns the package.json of the project. */
export function manifestOfProject(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
}

/** An old Node fails over the bundle, so the file loads the bundle only after the question. */
function startOf(name: string, file: string, flags: readonly string[] = []): string {
  const node = flags.length === 0 ? "node" : `-S node ${flags.join(" ")}`;
  return `#!/usr/bin/env ${node}
if (Number(process.versions.node.split(".")[0]) >= 24) {
  import("./${file}");
} else {
  console.error("${name}: needs Node 24 or newer, and this is Node " + process.versions.node);
  process.exitCode = 1;
}
`;
}
