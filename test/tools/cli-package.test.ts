import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { cliPackage, cliPackageName, krewManifest } from "../../tools/bundle/cli-package.ts";
import { installedPackage } from "./installed-package.ts";

const { home, tarball, environment } = installedPackage(cliPackageName, cliPackage);

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
