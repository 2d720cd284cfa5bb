/**
 * Makes dist/cloudplatform-PLATFORM-ARCHITECTURE: the command line as one executable file for this platform, with its own Node
 * (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { slim } from "./bundle/slim.ts";
import { root } from "./run/places.ts";

const folder = join(root, "dist");
const isMac = process.platform === "darwin";
const target = join(folder, `cloudplatform-${process.platform}-${process.arch}`);
const main = join(folder, "main.cjs");
const configuration = join(folder, "executable.json");
const blob = join(folder, "executable.blob");
const injector = "postject@1.0.0-alpha.6";

mkdirSync(folder, { recursive: true });
// Node 24 starts only CommonJS from an executable.
await build({
  absWorkingDir: root,
  entryPoints: ["src/cli/main.ts"],
  outfile: main,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [slim],
  logLevel: "warning",
});
writeFileSync(configuration, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
run(process.execPath, "--experimental-sea-config", configuration);
copyFileSync(process.execPath, target);
chmodSync(target, 0o755);
if (isMac) run("codesign", "--remove-signature", target);
const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
run(
  "npx",
  "--yes",
  injector,
  target,
  "NODE_SEA_BLOB",
  blob,
  ...fuse,
  ...(isMac ? ["--macho-segment-name", "NODE_SEA"] : []),
);
if (isMac) run("codesign", "--sign", "-", target);
console.log(target);

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
}
