/** A package, packed as the release publishes it, and installed in an empty folder without a registry. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import manifest from "../../package.json" with { type: "json" };

/** Places of the package. `environment` has nothing of this project's installation. */
export function installedPackage(name: string, make: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), "package-"));
  const home = join(folder, "home");
  const made = join(folder, "package");
  const tarball = join(folder, `${name}-${manifest.version}.tgz`);
  const environment = {
    PATH: `${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
    npm_config_cache: join(folder, "cache"),
  };
  beforeAll(async () => {
    mkdirSync(home);
    await make(made);
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: made, env: environment });
    writeFileSync(join(home, "package.json"), "{}");
    execFileSync("npm", ["install", "--silent", tarball], { cwd: home, env: environment });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, home, made, tarball, environment };
}
