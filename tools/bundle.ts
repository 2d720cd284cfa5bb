/** Makes dist/: each program as one file that runs alone on Node 24, and the licences of what is in them. */
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { bundle, programs } from "./bundle/bundle.ts";
import { root } from "./run/places.ts";

const folder = join(root, "dist");
await bundle(folder);
for (const { file } of programs) {
  const path = join(folder, file);
  console.log(`${relative(root, path)}  ${(statSync(path).size / 1e6).toFixed(1)} MB`);
}
