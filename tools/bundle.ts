/** Makes dist/: each program as one file that runs alone on Node 24, the licences of what is in them, and the simulator's package. */
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { bundle, programs } from "./bundle/bundle.ts";
import { cliPackage, cliPackageName } from "./bundle/cli-package.ts";
import { packageName, simulatorPackage } from "./bundle/simulator-package.ts";
import { root } from "./run/places.ts";

const folder = join(root, "dist");
await bundle(folder);
await simulatorPackage(join(folder, packageName));
await cliPackage(join(folder, cliPackageName));
for (const { file } of programs) {
  const path = join(folder, file);
  console.log(`${relative(root, path)}  ${(statSync(path).size / 1e6).toFixed(1)} MB`);
}
for (const name of [packageName, cliPackageName])
  console.log(`${relative(root, join(folder, name))}/  a package for npx`);
