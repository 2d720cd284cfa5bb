import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run/places.ts";
import { bundle, programs, simulatorNodeFlags } from "./bundle.ts";

export const packageName = "cloud-platform-simulator";

/**
 * Makes in `folder` the package that `npx cloud-platform-simulator` runs: the simulator's bundle, so that it depends on
 * nothing, and a first file that any Node understands, which says which Node is wanted.
 */
export async function simulatorPackage(folder: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
  const { version, license, type, engines } = manifest;
  await bundle(
    folder,
    programs.filter(({ file }) => file === "simulator.mjs"),
  );
  rmSync(join(folder, "simulator.mjs.map"));
  const description =
    "The HTTP API of a cloud on your machine, complete, to try its clients on without an account or a bill";
  const own = { name: packageName, version, description, license, type, engines, bin: { [packageName]: "start.mjs" } };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
  writeFileSync(join(folder, "start.mjs"), start, { mode: 0o755 });
  copyFileSync(join(root, "docs", "simulator.md"), join(folder, "README.md"));
  copyFileSync(join(root, "docs", "simulator-reference.md"), join(folder, "simulator-reference.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** Old Nodes fail over the bundle itself, so it is loaded only after the question. */
const start = `#!/usr/bin/env -S node ${simulatorNodeFlags.join(" ")}
if (Number(process.versions.node.split(".")[0]) >= 24) {
  import("./simulator.mjs");
} else {
  console.error("${packageName}: needs Node 24 or newer, and this is Node " + process.versions.node);
  process.exitCode = 1;
}
`;
