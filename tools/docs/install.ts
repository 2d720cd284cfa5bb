/** Installs the packages of the site outside of the tree, so that `npm ci` of the operator stays small. */
import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environment } from "../run/command.ts";
import { withLock } from "../run/lock.ts";
import { cacheRoot, root } from "../run/places.ts";

const files = ["package.json", "package-lock.json"].map((name) => ["site", name] as const);

/**
 * Returns the folder with the packages of site/package-lock.json.
 *
 * @throws Error if npm fails
 */
export async function ensureSitePackages(): Promise<string> {
  const lock = readFileSync(join(root, "site", "package-lock.json"));
  const folder = join(cacheRoot(process.env), "site", createHash("sha256").update(lock).digest("hex").slice(0, 16));
  const done = join(folder, ".installed");
  const waiting = (pid: number): void => console.error(`process ${pid} installs the packages of the site; waiting`);
  await withLock(`${folder}.lock`, waiting, async () => {
    if (existsSync(done)) return;
    console.error("installing the packages of the site, about 190 MB");
    mkdirSync(folder, { recursive: true });
    for (const [where, name] of [...files, [".", ".npmrc"] as const])
      copyFileSync(join(root, where, name), join(folder, name));
    const code = await run("npm", ["ci", "--ignore-scripts"], folder);
    if (code !== 0) throw new Error(`npm ci in ${folder} failed with ${code}`);
    writeFileSync(done, "");
  });
  return folder;
}

/** Runs a program in a folder, with its output shown. Returns the exit code. */
export function run(command: string, args: string[], cwd: string): Promise<number> {
  const env = { ...environment, ASTRO_TELEMETRY_DISABLED: "1" };
  const child = spawn(command, args, { cwd, env, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
