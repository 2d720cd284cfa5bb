/** Makes dist/: each program as one file that runs alone on Node 24, the licences of what is in them, and the simulator's package. */
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { bundle, programs } from "./bundle/bundle.ts";
import { packageName, simulatorPackage } from "./bundle/simulator-package.ts";
import { root } from "./run/places.ts";

const folder = join(root, "dist");
await bundle(folder);
await simulatorPackage(join(folder, packageName));
for (const { file } of programs) {
  const path = join(folder, file);
  console.log(`${relative(root, path)}  ${(statSync(path).size / 1e6).toFixed(1)} MB`);
}
console.log(`${relative(root, join(folder, packageName))}/  the package for npx`);
