import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { cliPackage, cliPackageName, krewManifest } from "../../tools/bundle/cli-package.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-package-"));
const home = join(folder, "home");
const made = join(folder, "package");
const tarball = join(folder, `${cliPackageName}-${manifest.version}.tgz`);
/** Nothing of this project's installation, and no way to any registry. */
const environment = {
  PATH: `${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`,
  HOME: home,
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
  npm_config_cache: join(folder, "cache"),
};

beforeAll(async () => {
  mkdirSync(home);
  await cliPackage(made);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: made, env: environment });
  writeFileSync(join(home, "package.json"), "{}");
  execFileSync("npm", ["install", "--silent", tarball], { cwd: home, env: environment });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["cloudplatform", "kubectl-cloudplatform"])(
  "npx runs the installed program %s",
  (name) => {
    const run = (...args: string[]) =>
      execFileSync("npx", [name, ...args], { cwd: home, env: environment, encoding: "utf8" });
    expect(run("version")).toBe(`${manifest.version}\n`);
  },
  60_000,
);

test("the package brings no dependencies", () => {
  const listed = execFileSync("npm", ["ls", "--all", "--parseable"], { cwd: home, env: environment, encoding: "utf8" });
  expect(listed.trim().split("\n")).toEqual([home, join(home, "node_modules", cliPackageName)]);
});

test("the manifest for krew names the packed bytes and a file of the package", () => {
  const archive = readFileSync(tarball);
  const { spec } = parse(krewManifest("https://example.org/x.tgz", archive)) as {
    spec: { platforms: { sha256: string; bin: string; uri: string }[] };
  };
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const files = execFileSync("tar", ["tzf", tarball], { encoding: "utf8" }).split("\n");
  for (const platform of spec.platforms) {
    expect(platform).toMatchObject({ sha256, uri: "https://example.org/x.tgz" });
    expect(files).toContain(`package/${platform.bin}`);
  }
  expect(spec.platforms).toHaveLength(2);
});
